//! Production: one shot from script to outputs, and many of them.

mod again;
mod batch;
pub mod bench;
mod callbacks;
mod capture;
pub mod certificate;
mod checks;
pub mod digest;
mod exports;
mod folder;
mod following;
mod frame_list;
mod jobs;
pub mod json;
mod ledger;
mod load;
mod outputs;
mod pictures;
mod progress;
mod project;
mod queue;
mod report_page;
mod run;
mod scene_file;
mod sheet;
mod simulate;
mod stale;
mod summary;
mod sweep;
mod sweep_sheet;
mod timings;
mod verify;
mod writer;

pub use again::{Redraw, Trouble, export_again, redraw};
pub use batch::{ListedShot, read_shots};
pub use frame_list::FrameList;
pub use jobs::{Ending, News, Task, run_all};
pub use load::{Loaded, Source, convert_script, is_flex3d, load, not_built, parameters};
pub use outputs::Wishes;
pub use pictures::Quality;
pub use progress::{Listener, Message, Silent};
pub use project::Project;
pub use report_page::write_report;
pub use run::{End, Job, Outcome, folder_of, run};
pub use scene_file::is_file_safe;
pub use sweep::{
    Row as SweepRow, Variant, Varied, row as sweep_row, variants, write_table as write_sweep_table,
};
pub use sweep_sheet::write_sweep_sheet;
pub use verify::{Verdict, verify};
