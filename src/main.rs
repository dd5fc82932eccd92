//! The `retake` program: everything it does lives in the library's `cli` room.

fn main() -> std::process::ExitCode {
    retake::cli::main()
}
