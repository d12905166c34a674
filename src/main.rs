//! The program `runner`: hands the process to [`runner::cli`] and exits with its code.

/// A screenshot is 10 MB of pixels, and each step of its way takes as much again: the system's allocator gives such
/// blocks back and asks for them anew, page by page, which costs more than the work on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    runner::cli::main()
}
