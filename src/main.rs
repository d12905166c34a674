//! Program `runner`: hands the process to [`runner::cli`] and exits with its code.

/// Allocator of the program. A screenshot is 10 MB of pixels, and each step of its way takes as much again.
/// The system's allocator returns such blocks and asks for them anew, page by page, which costs more than the
/// work on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    runner::cli::main()
}
