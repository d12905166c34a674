//! Describes the machine of a run and its CI system.

use runner_base::context::Context;
use runner_event::Host;

/// CI system: the variable that identifies it, and the facts that reports show.
struct Ci {
    name: &'static str,
    mark: &'static str,
    /// Names for people, each with the variables that may hold the value. The first that is set counts.
    facts: &'static [(&'static str, &'static [&'static str])],
}

const KNOWN: &[Ci] = &[
    Ci {
        name: "github",
        mark: "GITHUB_ACTIONS",
        facts: &[
            ("commit", &["GITHUB_SHA"]),
            // In a pull request GITHUB_REF_NAME is that of the merge, such as `7/merge`.
            ("branch", &["GITHUB_HEAD_REF", "GITHUB_REF_NAME"]),
            ("workflow", &["GITHUB_WORKFLOW"]),
            ("job", &["GITHUB_JOB"]),
        ],
    },
    Ci {
        name: "gitlab",
        mark: "GITLAB_CI",
        facts: &[
            ("run", &["CI_JOB_URL"]),
            ("commit", &["CI_COMMIT_SHA"]),
            (
                "branch",
                &["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"],
            ),
            ("job", &["CI_JOB_NAME"]),
        ],
    },
    Ci {
        name: "jenkins",
        mark: "JENKINS_URL",
        facts: &[
            ("run", &["BUILD_URL"]),
            ("commit", &["GIT_COMMIT"]),
            ("branch", &["CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"]),
            ("job", &["JOB_NAME"]),
        ],
    },
];

/// Returns the host of a run: its system, and facts from the environment variables of the first known CI
/// system. An unknown one is `other`; without CI there are no facts. User names and passwords in addresses
/// are removed.
pub(super) fn from_context(context: &Context) -> Host {
    let known = KNOWN.iter().find(|ci| context.variable(ci.mark).is_some());
    let mut facts = Vec::new();
    if known.is_some_and(|ci| ci.name == "github") {
        facts.extend(github_run(context).map(|url| ("run".to_owned(), url)));
    }
    for (name, variables) in known.iter().flat_map(|ci| ci.facts) {
        let value = variables.iter().find_map(|name| context.variable(name));
        facts.extend(value.map(|value| ((*name).to_owned(), value.to_owned())));
    }
    // Some CI systems put a token into the addresses that they give.
    for (_, value) in &mut facts {
        *value = without_user_info(value);
    }
    Host {
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        ci: known
            .map(|ci| ci.name)
            .or(context.is_ci().then_some("other"))
            .map(str::to_owned),
        facts,
    }
}

/// Removes user names and passwords from all addresses in a text: `https://ada:token@ci.example/7` becomes
/// `https://ci.example/7`. Everything up to the last `@` of the host part goes; an `@` in the path stays.
fn without_user_info(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, authority) = rest.split_at(at + "://".len());
        clean.push_str(before);
        // Browsers take a backslash for a slash, so it ends the authority too.
        let end = authority
            .find(|c: char| matches!(c, '/' | '?' | '#' | '\\') || c.is_whitespace())
            .unwrap_or(authority.len());
        // The last one: a password may hold an `@`.
        let host = authority[..end].rfind('@').map_or(0, |at| at + 1);
        clean.push_str(&authority[host..end]);
        rest = &authority[end..];
    }
    clean + rest
}

/// Builds the address of the run on GitHub, which has no variable for it. `None` if server, repository or run
/// is missing; a missing attempt is 1.
fn github_run(context: &Context) -> Option<String> {
    let server = context.variable("GITHUB_SERVER_URL")?;
    let repository = context.variable("GITHUB_REPOSITORY")?;
    let run = context.variable("GITHUB_RUN_ID")?;
    let attempt = context.variable("GITHUB_RUN_ATTEMPT").unwrap_or("1");
    Some(format!(
        "{server}/{repository}/actions/runs/{run}/attempts/{attempt}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(variables: &[(&str, &str)]) -> Host {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        from_context(&Context::fixed("/work".into(), variables.collect()))
    }

    #[test]
    fn each_ci_is_known_and_says_where_the_run_is() {
        for (variables, ci, run) in [
            (vec![], None, None),
            (vec![("CI", "false")], None, None),
            (vec![("CI", "1")], Some("other"), None),
            (
                vec![
                    ("CI", "true"),
                    ("GITHUB_ACTIONS", "true"),
                    ("GITHUB_SERVER_URL", "https://github.example"),
                    ("GITHUB_REPOSITORY", "ada/shop"),
                    ("GITHUB_RUN_ID", "7"),
                ],
                Some("github"),
                Some("https://github.example/ada/shop/actions/runs/7/attempts/1"),
            ),
            (
                vec![("GITLAB_CI", "true"), ("CI_JOB_URL", "https://lab/1")],
                Some("gitlab"),
                Some("https://lab/1"),
            ),
            (
                vec![("JENKINS_URL", "http://j/"), ("BUILD_URL", "http://j/2/")],
                Some("jenkins"),
                Some("http://j/2/"),
            ),
            // A reader of the report must not get the credentials.
            (
                vec![
                    ("JENKINS_URL", "http://j/"),
                    ("BUILD_URL", "https://ada:p@ss@j.example:8080/2/?q=a@b"),
                ],
                Some("jenkins"),
                Some("https://j.example:8080/2/?q=a@b"),
            ),
            (
                vec![("GITLAB_CI", "true"), ("CI_JOB_URL", "https://token@lab")],
                Some("gitlab"),
                Some("https://lab"),
            ),
            (
                vec![
                    ("GITHUB_ACTIONS", "true"),
                    ("GITHUB_SERVER_URL", "https://x:tok@github.example"),
                    ("GITHUB_REPOSITORY", "ada/shop"),
                    ("GITHUB_RUN_ID", "7"),
                ],
                Some("github"),
                Some("https://github.example/ada/shop/actions/runs/7/attempts/1"),
            ),
        ] {
            let host = host(&variables);
            let found = host.facts.iter().find(|(name, _)| name == "run");
            assert_eq!(host.ci.as_deref(), ci, "{variables:?}");
            assert_eq!(found.map(|(_, value)| value.as_str()), run);
        }
    }

    #[test]
    fn a_pull_request_names_its_own_branch() {
        let host = host(&[
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_HEAD_REF", "fix"),
            ("GITHUB_REF_NAME", "12/merge"),
            ("GITHUB_SHA", "abc"),
        ]);
        let facts: Vec<_> = host
            .facts
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str()))
            .collect();
        assert_eq!(facts, [("commit", "abc"), ("branch", "fix")]);
    }
}
