//! Production: one shot from script to outputs, and many of them.

mod callbacks;
mod capture;
pub mod certificate;
mod checks;
mod folder;
mod frame_list;
pub mod json;
mod ledger;
mod load;
mod outputs;
mod progress;
mod project;
mod run;
mod scene_file;
mod simulate;
mod stale;
mod summary;
mod timings;
mod writer;

pub use frame_list::FrameList;
pub use load::{Loaded, Source, load, not_built};
pub use outputs::Wishes;
pub use progress::{Listener, Message, Silent};
pub use project::Project;
pub use run::{End, Job, Outcome, folder_of, run};
pub use scene_file::is_file_safe;
