//! The program `runner`: hands the process to [`runner::cli`] and exits with its code.

fn main() -> std::process::ExitCode {
    runner::cli::main()
}
