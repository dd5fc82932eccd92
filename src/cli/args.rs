//! Commands and options, as a person types them.

use crate::production;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Scripts become cloth animation in which nothing crosses: simulated, exported, rendered.
#[derive(Debug, Parser)]
#[command(name = "retake", version, propagate_version = true, max_term_width = 100)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    #[command(flatten)]
    pub(super) talk: Talk,
}

/// How the program talks.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Talk {
    /// How progress is told
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "HOW")]
    pub(super) progress: Progress,
    /// Tell more
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    /// Tell only errors
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(super) color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Progress {
    /// A line kept up to date on a terminal, plain lines elsewhere
    Auto,
    /// Plain lines
    Plain,
    /// One JSON object a frame on standard output
    Json,
    /// Lines for Open Job Description workers on standard output
    Openjd,
    /// Nothing
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Quality {
    /// Fewer paths a pixel, quick to look at
    Draft,
    /// As the script says, and at least 128 paths a pixel
    Final,
}

impl From<Quality> for production::Quality {
    fn from(quality: Quality) -> Self {
        match quality {
            Quality::Draft => Self::Draft,
            Quality::Final => Self::Final,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Simulate, export and render one shot; takes up where an earlier run stopped
    Run(Box<RunArgs>),
    /// Build the scene, check it, tell what it holds; simulates nothing
    Check(BuildArgs),
    /// List the script's parameters
    Params {
        #[command(flatten)]
        build: BuildArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the built scene as JSON (it can be given to `run` in place of a script)
    Scene(BuildArgs),
    /// Draw images from the frames of a run
    Render(RenderArgs),
    /// Write exports from the frames of a run
    Export(ExportArgs),
    /// The shot for every combination of values, side by side
    Sweep(SweepArgs),
    /// Many shots; one failed shot does not stop the others
    Batch(BatchArgs),
    /// What happened in a run, or what a mesh file holds
    Inspect(InspectArgs),
    /// Check every frame of a run: nothing crosses, nothing is NaN, files complete
    Verify {
        /// The run's folder
        dir: PathBuf,
    },
    /// Write a commented starter script
    New {
        /// Name of the shot, or the script's path
        name: String,
    },
    /// Tell versions, cores, and what optional tools were found
    Doctor,
    /// Print completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, or write one page a command into a folder
    #[command(hide = true)]
    Man {
        /// Folder for the pages
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Write a shot, or a list of shots (.toml), as a job for a farm, and hand it in
    Submit(Box<SubmitArgs>),
    /// Run again on every save of the script or of a file that it reads, from the first frame that changed
    Watch(Box<RunArgs>),
    /// What of a run is stale after an edit of its script, and why; simulates and writes nothing
    Why(WhyArgs),
    /// How two runs differ: in their shots, in figures, in where bodies are, in pictures
    Compare(CompareArgs),
    /// Run the benchmarks and print their table
    Bench(BenchArgs),
    /// Write a mesh file in another format, or a FLEX3D script (.par) as a commented Lua script
    Convert(ConvertArgs),
}

/// What a scene is built from.
#[derive(Clone, Debug, Args)]
pub(super) struct BuildArgs {
    /// A script (.lua, or .par of FLEX3D) or a scene (.json)
    pub(super) script: PathBuf,
    #[command(flatten)]
    pub(super) values: ValueArgs,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ValueArgs {
    /// Set a parameter of the script (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// Take parameters from a JSON or TOML file
    #[arg(long, value_name = "FILE")]
    pub(super) params: Option<PathBuf>,
    /// A folder of read-only files (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub(super) assets: Vec<PathBuf>,
    /// The model of a FLEX3D script: flex3d (its own) or modern (Retake's cloth)
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
}

/// What `run`, `sweep` and `batch` share.
#[derive(Clone, Debug, Args)]
pub(super) struct ShotArgs {
    /// Simulate no further than this frame
    #[arg(long, value_name = "FRAME", allow_negative_numbers = true)]
    pub(super) until: Option<i32>,
    /// Frames that are drawn and exported: `1-48`, `1-240x2`, `5,9,12-20`
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(super) frames: Option<String>,
    /// Bodies and groups that are exported: `cape,set/glasses,glass_*`
    #[arg(long, value_name = "NAMES")]
    pub(super) bodies: Option<String>,
    /// Threads to use (all cores where it is left out)
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Ignore earlier frames
    #[arg(long)]
    pub(super) fresh: bool,
    /// Draw no images
    #[arg(long)]
    pub(super) no_images: bool,
    /// Write no exports
    #[arg(long)]
    pub(super) no_export: bool,
    /// How well pictures are drawn
    #[arg(long, value_enum)]
    pub(super) quality: Option<Quality>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) build: BuildArgs,
    #[command(flatten)]
    pub(super) shot: ShotArgs,
    /// Folder in place of `renders/<shot>/`
    #[arg(long, value_name = "DIR", conflicts_with = "take")]
    pub(super) out: Option<PathBuf>,
    /// Write to `renders/<shot>@NAME/`
    #[arg(long, value_name = "NAME")]
    pub(super) take: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct RenderArgs {
    /// The run's folder
    pub(super) dir: PathBuf,
    /// Frames to draw: `1-48`, `1-240x2`, `5,9,12-20`
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(super) frames: Option<String>,
    /// Paths a pixel
    #[arg(long, value_name = "N")]
    pub(super) samples: Option<u32>,
    /// Camera to draw from (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub(super) camera: Vec<String>,
    /// Pixels
    #[arg(long, value_name = "PIXELS")]
    pub(super) width: Option<u32>,
    /// Pixels
    #[arg(long, value_name = "PIXELS")]
    pub(super) height: Option<u32>,
    /// How well pictures are drawn
    #[arg(long, value_enum)]
    pub(super) quality: Option<Quality>,
    /// Threads to use (all cores where it is left out)
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ExportArgs {
    /// The run's folder
    pub(super) dir: PathBuf,
    /// Format to write: gltf, gltf-sequence, obj, obj-shot, pc2, mdd, usd, abc, ply, obt (may be repeated)
    #[arg(short, long, value_name = "FORMAT", required = true, value_delimiter = ',')]
    pub(super) format: Vec<String>,
    /// Frames to export: `1-48`, `1-240x2`, `5,9,12-20`
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(super) frames: Option<String>,
    /// Bodies and groups to export: `cape,set/glasses,glass_*`
    #[arg(long, value_name = "NAMES")]
    pub(super) bodies: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct SweepArgs {
    #[command(flatten)]
    pub(super) build: BuildArgs,
    #[command(flatten)]
    pub(super) shot: ShotArgs,
    /// Values of a parameter: `wind=2,4,8` or `bend=1e-4..1e-1:log:4` or `bend=0..1:4`
    #[arg(long, value_name = "NAME=VALUES", required = true)]
    pub(super) vary: Vec<String>,
    /// Shots at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) jobs: usize,
    /// Folder in place of `renders/<shot>.sweep/`
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct BatchArgs {
    /// The list of shots
    pub(super) shots: PathBuf,
    #[command(flatten)]
    pub(super) shot: ShotArgs,
    /// Shots at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) jobs: usize,
    /// Folder in place of `renders/`
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct SubmitArgs {
    #[command(flatten)]
    pub(super) build: BuildArgs,
    #[command(flatten)]
    pub(super) shot: ShotArgs,
    /// What the farm reads: `<name>.openjd.json` or `<name>.sbatch` is written into the current folder
    #[arg(long, value_enum, value_name = "FARM")]
    pub(super) to: Farm,
    /// Hand it in: to `openjd run`, or to `sbatch`
    #[arg(long)]
    pub(super) run: bool,
    /// This program as the farm finds it
    #[arg(long, value_name = "PATH", default_value = "retake")]
    pub(super) program: String,
    /// Frames that a task draws
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one)]
    pub(super) chunk: usize,
    /// Folder in place of `renders/<shot>/`; of a list in place of `renders/`
    #[arg(long, value_name = "DIR", conflicts_with = "take")]
    pub(super) out: Option<PathBuf>,
    /// Write to `renders/<shot>@NAME/`
    #[arg(long, value_name = "NAME")]
    pub(super) take: Option<String>,
}

/// What runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Farm {
    /// A job template of Open Job Description
    Openjd,
    /// A script for Slurm
    Slurm,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 is needed".into()),
        Ok(number) => Ok(number),
        Err(_) => Err("a whole number is needed".into()),
    }
}

#[derive(Clone, Debug, Args)]
pub(super) struct WhyArgs {
    /// The run's folder
    pub(super) dir: PathBuf,
    #[command(flatten)]
    pub(super) values: ValueArgs,
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct CompareArgs {
    /// The folder of a run
    pub(super) a: PathBuf,
    /// The folder of another
    pub(super) b: PathBuf,
    /// Write compare.png into this folder: pictures of both side by side, and their difference
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ConvertArgs {
    /// A mesh file (.obj, .gltf, .glb, .usd, .usda, .usdc, .usdz, .ply, .stl, .msh, .obt) or a FLEX3D script (.par)
    #[arg(value_name = "IN")]
    pub(super) from: PathBuf,
    /// The file to write: .obj, .ply, .glb, .gltf, .stl, .usdc of a mesh, .lua of a script
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) values: ValueArgs,
}

#[derive(Clone, Debug, Args)]
pub(super) struct BenchArgs {
    /// Which: hang, drape, layers, layers_50, twist, knot, walk, pit, stones, tower, dominoes, tets, pile (all where none is named)
    #[arg(value_name = "CASE")]
    pub(super) cases: Vec<String>,
    /// Vertices along each side of a sheet, along a band, around a skirt; bodies of a pit, a tower, a row of dominoes; of each case its own
    /// where it is not given
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u32).range(4..=10000)
    )]
    pub(super) size: Vec<u32>,
    /// Simulate no more than these frames of each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) frames: Option<u32>,
    /// Threads; as many as there are cores where it is not given
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Simulate each again as converged, with substeps and accuracy sixteen times as fine, and tell how far its last
    /// frame is off
    #[arg(long)]
    pub(super) converged: bool,
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct InspectArgs {
    /// The run's folder, or a mesh file
    pub(super) path: PathBuf,
    /// Of a run: write report.html into its folder, one page with plots and the shot in 3D that needs no network
    #[arg(long)]
    pub(super) report: bool,
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
}
