//! Reads the URLs of requests.

use http::Uri;

use crate::android::without_credentials;
use crate::{Failure, Words};

/// Parses a URL of `http` or `https` with a host. All else is a failure of usage, also a name or password in it, which
/// the failure does not show.
pub(super) fn read_uri(url: &str) -> Result<Uri, Failure> {
    let wrong = || {
        Failure::usage(Words::format(
            "`http`: `{}` is not a URL such as https://api.example.com/users",
            &[&without_credentials(url)],
        ))
    };
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    let is_known = matches!(uri.scheme_str(), Some("http" | "https"));
    let has_host = uri.host().is_some_and(|host| !host.is_empty());
    if !is_known || !has_host {
        return Err(wrong());
    }
    if uri
        .authority()
        .is_some_and(|whole| whole.as_str().contains('@'))
    {
        return Err(Failure::usage(
            "`http`: a URL holds no name and password; send them in a header: `headers: { Authorization: … }`",
        ));
    }
    Ok(uri)
}
