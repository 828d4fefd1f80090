//! Every declaration, against `lfs.h`: Rust writes what it believes as assertions in C, and the compiler that built
//! littlefs judges them with the same options.

use std::ffi::{c_char, c_int, c_void};
use std::fs;
use std::mem::{align_of, offset_of, size_of};
use std::path::Path;
use std::process::Command;

use wordline_littlefs_sys::*;

/// A type as C writes it.
trait CType {
    /// The declaration of a pointer to it, or its own name.
    fn name() -> String;
}

macro_rules! c_types {
    ($($rust:ty => $c:literal),* $(,)?) => {
        $(impl CType for $rust {
            fn name() -> String {
                $c.to_owned()
            }
        })*
    };
}

// `u8` and `i8` are left out: one of them is `char`, which C keeps apart from both.
c_types! {
    c_int => "int",
    u32 => "uint32_t",
    c_void => "void",
    c_char => "char",
    lfs_t => "lfs_t",
    lfs_config => "struct lfs_config",
    lfs_info => "struct lfs_info",
    lfs_file_t => "lfs_file_t",
    lfs_file_config => "struct lfs_file_config",
    lfs_dir_t => "lfs_dir_t",
}

impl<T: CType> CType for *const T {
    fn name() -> String {
        format!("const {} *", T::name())
    }
}

impl<T: CType> CType for *mut T {
    fn name() -> String {
        format!("{} *", T::name())
    }
}

/// The signature of a function as C writes it.
trait CSignature {
    fn signature() -> String;
}

macro_rules! signatures {
    ($($($argument:ident)*;)*) => {
        $(impl<R: CType, $($argument: CType),*> CSignature for unsafe extern "C" fn($($argument),*) -> R {
            fn signature() -> String {
                let arguments: Vec<String> = vec![$($argument::name()),*];
                format!("{} ({})", R::name(), arguments.join(", "))
            }
        })*
    };
}

signatures! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
}

/// Assertions in C, each with its own words.
#[derive(Default)]
struct Assertions(Vec<String>);

impl Assertions {
    fn add(&mut self, condition: &str) {
        self.0
            .push(format!("_Static_assert({condition}, \"{condition}\");"));
    }

    /// `function` is what Rust calls, whose type the compiler finds from its declaration.
    fn signature<F: CSignature>(&mut self, name: &str, _function: F) {
        let is_type = F::signature();
        self.add(&format!(
            "__builtin_types_compatible_p(__typeof__({name}), {is_type})"
        ));
    }

    /// A callback in a structure: a pointer to a function.
    fn callback<F: CSignature>(&mut self, structure: &str, field: &str, _of: Option<F>) {
        let is_type = F::signature().replacen('(', "(*)(", 1);
        self.add(&format!(
            "__builtin_types_compatible_p(__typeof__((({structure} *)0)->{field}), {is_type})"
        ));
    }

    /// Whether the compiler finds all of them true, and what it says else.
    fn check(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("header.c");
        let text = format!(
            "#include <stddef.h>\n#include \"lfs.h\"\n{}\n",
            self.0.join("\n")
        );
        fs::write(&source, text).expect("written");
        let ran = Command::new(env!("LITTLEFS_COMPILER"))
            .args(env!("LITTLEFS_OPTIONS").split(' '))
            .arg("-fsyntax-only")
            .arg("-I")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("littlefs"))
            .arg(&source)
            .output()
            .expect("the compiler that built littlefs");
        match ran.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&ran.stderr).into_owned()),
        }
    }
}

/// Size, alignment, and of every field its offset and size. A field that is left out does not compile.
macro_rules! structure {
    ($assertions:ident, $c:literal, $rust:ident { $($field:ident),* $(,)? }) => {
        #[allow(unused_variables, reason = "the pattern only proves that no field is left out")]
        let every_field = |$rust { $($field),* }: $rust| ();
        let field_size = |field: &str, bytes: usize, at: usize| {
            let field = field.trim_start_matches("r#");
            [
                format!("offsetof({}, {field}) == {at}", $c),
                format!("sizeof((({} *)0)->{field}) == {bytes}", $c),
            ]
        };
        $assertions.add(&format!("sizeof({}) == {}", $c, size_of::<$rust>()));
        $assertions.add(&format!("__alignof__({}) == {}", $c, align_of::<$rust>()));
        $(
            let bytes = size_of_field(|of: &$rust| &raw const of.$field);
            for one in field_size(stringify!($field), bytes, offset_of!($rust, $field)) {
                $assertions.add(&one);
            }
        )*
    };
}

/// Bytes of the field that a function points to.
fn size_of_field<S, F>(_field: impl Fn(&S) -> *const F) -> usize {
    size_of::<F>()
}

macro_rules! constants {
    ($assertions:ident, $($name:ident)*) => {
        $($assertions.add(&format!("{} == {}", stringify!($name), $name));)*
    };
}

macro_rules! functions {
    ($assertions:ident, $($name:ident($($argument:tt)*))*) => {
        $($assertions.signature(
            stringify!($name),
            $name as unsafe extern "C" fn($($argument)*) -> _,
        );)*
    };
}

fn structures() -> Assertions {
    let mut all = Assertions::default();
    structure!(
        all,
        "struct lfs_config",
        lfs_config {
            context,
            read,
            prog,
            erase,
            sync,
            read_size,
            prog_size,
            block_size,
            block_count,
            block_cycles,
            cache_size,
            lookahead_size,
            compact_thresh,
            read_buffer,
            prog_buffer,
            lookahead_buffer,
            name_max,
            file_max,
            attr_max,
            metadata_max,
            inline_max,
        }
    );
    structure!(all, "struct lfs_info", lfs_info { r#type, size, name });
    structure!(
        all,
        "struct lfs_file_config",
        lfs_file_config {
            buffer,
            attrs,
            attr_count
        }
    );
    structure!(
        all,
        "lfs_cache_t",
        lfs_cache_t {
            block,
            off,
            size,
            buffer
        }
    );
    structure!(
        all,
        "lfs_mdir_t",
        lfs_mdir_t {
            pair,
            rev,
            off,
            etag,
            count,
            erased,
            split,
            tail
        }
    );
    structure!(
        all,
        "lfs_dir_t",
        lfs_dir_t {
            next,
            id,
            r#type,
            m,
            pos,
            head
        }
    );
    structure!(all, "struct lfs_ctz", lfs_ctz { head, size });
    structure!(
        all,
        "lfs_file_t",
        lfs_file_t {
            next,
            id,
            r#type,
            m,
            ctz,
            flags,
            pos,
            block,
            off,
            cache,
            cfg,
        }
    );
    structure!(all, "lfs_gstate_t", lfs_gstate_t { tag, pair });
    structure!(
        all,
        "struct lfs_lookahead",
        lfs_lookahead {
            start,
            size,
            next,
            ckpoint,
            buffer
        }
    );
    structure!(
        all,
        "lfs_t",
        lfs_t {
            rcache,
            pcache,
            root,
            mlist,
            seed,
            gstate,
            gdisk,
            gdelta,
            lookahead,
            cfg,
            block_count,
            name_max,
            file_max,
            attr_max,
            inline_max,
        }
    );
    all
}

#[test]
fn structures_are_those_of_the_header() {
    assert_eq!(structures().check(), Ok(()));
}

#[test]
fn constants_are_those_of_the_header() {
    let mut all = Assertions::default();
    constants!(all, LFS_NAME_MAX LFS_FILE_MAX);
    constants!(all, LFS_ERR_OK LFS_ERR_IO LFS_ERR_CORRUPT LFS_ERR_NOENT LFS_ERR_EXIST LFS_ERR_NOTDIR LFS_ERR_ISDIR);
    constants!(all, LFS_ERR_NOTEMPTY LFS_ERR_FBIG LFS_ERR_NOSPC LFS_ERR_NAMETOOLONG);
    constants!(all, LFS_TYPE_DIR LFS_SEEK_SET);
    constants!(all, LFS_O_RDONLY LFS_O_RDWR LFS_O_CREAT LFS_O_TRUNC LFS_F_ERRED);
    assert_eq!(all.check(), Ok(()));
    all.add("LFS_VERSION == 0x00020009");
    assert_eq!(all.check(), Ok(()));
}

#[test]
fn functions_have_the_signatures_of_the_header() {
    let mut all = Assertions::default();
    functions!(all,
        lfs_format(_, _) lfs_mount(_, _) lfs_remove(_, _) lfs_rename(_, _, _) lfs_stat(_, _, _)
        lfs_file_opencfg(_, _, _, _, _) lfs_file_close(_, _) lfs_file_sync(_, _) lfs_file_read(_, _, _, _)
        lfs_file_write(_, _, _, _) lfs_file_seek(_, _, _, _) lfs_file_truncate(_, _, _) lfs_file_size(_, _)
        lfs_mkdir(_, _) lfs_dir_open(_, _, _) lfs_dir_close(_, _) lfs_dir_read(_, _, _) lfs_fs_size(_)
    );
    let config = lfs_config::default();
    all.callback("struct lfs_config", "read", config.read);
    all.callback("struct lfs_config", "prog", config.prog);
    all.callback("struct lfs_config", "erase", config.erase);
    all.callback("struct lfs_config", "sync", config.sync);
    assert_eq!(all.check(), Ok(()));
}

/// Nothing declared is left unchecked.
#[test]
fn every_declaration_is_checked() {
    let declared = include_str!("../src/lib.rs");
    let (_, checked) = include_str!("header.rs")
        .split_once("fn structures()")
        .expect("the lists");
    let kinds = ["pub const ", "pub struct ", "pub fn "];
    let names: Vec<&str> = declared
        .lines()
        .filter_map(|line| kinds.iter().find_map(|kind| line.trim().strip_prefix(kind)))
        .map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
        })
        .map(|name| name.expect("a name"))
        .collect();
    assert!(names.len() > 40, "{names:?}");
    let words: Vec<&str> = checked
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let missing: Vec<_> = names.iter().filter(|name| !words.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The compiler finds a wrong offset, value and signature.
#[test]
fn a_wrong_declaration_is_found() {
    let mut right = structures();
    right.0[0] = right.0[0].replace("== ", "== 1 + ");
    assert!(
        right
            .check()
            .is_err_and(|said| said.contains("sizeof(struct lfs_config)"))
    );

    let mut value = Assertions::default();
    value.add("LFS_ERR_CORRUPT == -85");
    assert!(
        value
            .check()
            .is_err_and(|said| said.contains("LFS_ERR_CORRUPT"))
    );

    // `lfs_remove` has the signature of `lfs_mkdir`, and `lfs_mount` has not.
    let mut function = Assertions::default();
    function.signature("lfs_remove", lfs_mkdir as unsafe extern "C" fn(_, _) -> _);
    assert_eq!(function.check(), Ok(()));
    function.signature("lfs_mount", lfs_mkdir as unsafe extern "C" fn(_, _) -> _);
    assert!(
        function
            .check()
            .is_err_and(|said| said.contains("lfs_mount"))
    );
}
