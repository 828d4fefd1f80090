//! Columns over Arrow's C data interface: the three structures of its specification, and no library of Arrow. What
//! reads them takes them over without a copy, and gives them back by their function `release`.
//!
//! A table is a stream of one batch. Every structure owns its parts through `private_data`, so that releasing the one at
//! the top frees all that its reader has not moved elsewhere.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use crate::columns::{Bitmap, ColumnData, NameList, RowColumn, RowTable};

/// Name of the capsule of a stream.
pub(crate) const STREAM: &CStr = c"arrow_array_stream";

/// Flag of a column that may lack values.
const NULLABLE: i64 = 2;

/// `struct ArrowSchema`.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(crate) struct ArrowStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowStream)>,
    private_data: *mut c_void,
}

// SAFETY: the stream owns what it points to, all of it plain data, and nothing else does.
unsafe impl Send for ArrowStream {}

/// What a schema owns.
struct SchemaParts {
    _name: CString,
    children: Vec<*mut ArrowSchema>,
    dictionary: *mut ArrowSchema,
}

/// What an array owns.
struct ArrayParts {
    _data: ArrayData,
    _valid: Option<Bitmap>,
    _buffers: Box<[*const c_void]>,
    children: Vec<*mut ArrowArray>,
    dictionary: *mut ArrowArray,
}

/// The memory that an array's buffers lie in. Moving it moves no buffer.
enum ArrayData {
    Numbers(#[expect(dead_code, reason = "it is kept alive")] Vec<f64>),
    Counts(#[expect(dead_code, reason = "it is kept alive")] Vec<u64>),
    Places(#[expect(dead_code, reason = "it is kept alive")] Vec<u32>),
    Names(#[expect(dead_code, reason = "it is kept alive")] NameList),
    Struct,
}

/// What a stream has not handed out yet.
struct Pending {
    /// Names and formats of the columns.
    fields: Vec<(String, &'static CStr, bool)>,
    table: Option<RowTable>,
}

impl ArrowStream {
    /// A stream of one batch.
    pub(crate) fn of(table: RowTable) -> Self {
        let columns = table.columns.iter();
        let fields = columns.map(|one| (one.name.clone(), format(&one.data), one.valid.is_some()));
        let pending = Pending {
            fields: fields.collect(),
            table: Some(table),
        };
        Self {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release_stream),
            private_data: Box::into_raw(Box::new(pending)).cast(),
        }
    }
}

impl Drop for ArrowStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it is the stream's own function, which nobody has called yet: it would have removed itself.
            unsafe { release(self) }
        }
    }
}

/// The format of a column's own buffer.
const fn format(data: &ColumnData) -> &'static CStr {
    match data {
        ColumnData::Numbers(_) => c"g",
        ColumnData::Counts(_) => c"L",
        ColumnData::Names(..) => c"I",
    }
}

/// Large UTF-8, whose offsets have 64 bits.
const TEXT: &CStr = c"U";

fn schema(
    name: &str,
    format: &'static CStr,
    nullable: bool,
    children: Vec<*mut ArrowSchema>,
    dictionary: *mut ArrowSchema,
) -> ArrowSchema {
    // A name is of our registries or of the caller's; one with a zero byte in it ends there.
    let bytes: Vec<u8> = name.bytes().take_while(|byte| *byte != 0).collect();
    let mut parts = Box::new(SchemaParts {
        _name: CString::new(bytes).unwrap_or_default(),
        children,
        dictionary,
    });
    ArrowSchema {
        format: format.as_ptr(),
        name: parts._name.as_ptr(),
        metadata: ptr::null(),
        flags: if nullable { NULLABLE } else { 0 },
        n_children: parts.children.len() as i64,
        children: parts.children.as_mut_ptr(),
        dictionary,
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
    }
}

fn field_schema((name, format, nullable): &(String, &'static CStr, bool)) -> ArrowSchema {
    let dictionary = match *format == c"I" {
        true => Box::into_raw(Box::new(schema(
            "",
            TEXT,
            false,
            Vec::new(),
            ptr::null_mut(),
        ))),
        false => ptr::null_mut(),
    };
    schema(name, format, *nullable, Vec::new(), dictionary)
}

fn array(
    length: usize,
    data: ArrayData,
    valid: Option<Bitmap>,
    buffers: &[*const c_void],
    children: Vec<*mut ArrowArray>,
    dictionary: *mut ArrowArray,
) -> ArrowArray {
    let validity = valid
        .as_ref()
        .map_or(ptr::null(), |bits| bits.bytes.as_ptr().cast());
    let null_count = valid.as_ref().map_or(0, |bits| bits.zeros);
    let buffers: Box<[*const c_void]> = [validity]
        .into_iter()
        .chain(buffers.iter().copied())
        .collect();
    let mut parts = Box::new(ArrayParts {
        _data: data,
        _valid: valid,
        _buffers: buffers,
        children,
        dictionary,
    });
    ArrowArray {
        length: length as i64,
        null_count: null_count as i64,
        offset: 0,
        n_buffers: parts._buffers.len() as i64,
        n_children: parts.children.len() as i64,
        buffers: parts._buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary,
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
    }
}

fn column_array(column: RowColumn, rows: usize) -> ArrowArray {
    match column.data {
        ColumnData::Numbers(values) => {
            let buffer = values.as_ptr().cast();
            let data = ArrayData::Numbers(values);
            array(
                rows,
                data,
                column.valid,
                &[buffer],
                Vec::new(),
                ptr::null_mut(),
            )
        }
        ColumnData::Counts(values) => {
            let buffer = values.as_ptr().cast();
            let data = ArrayData::Counts(values);
            array(
                rows,
                data,
                column.valid,
                &[buffer],
                Vec::new(),
                ptr::null_mut(),
            )
        }
        ColumnData::Names(places, names) => {
            let buffers = [names.offsets.as_ptr().cast(), names.bytes.as_ptr().cast()];
            let length = names.len();
            let names = ArrayData::Names(names);
            let names = array(length, names, None, &buffers, Vec::new(), ptr::null_mut());
            let dictionary = Box::into_raw(Box::new(names));
            let buffer = places.as_ptr().cast();
            let data = ArrayData::Places(places);
            array(rows, data, column.valid, &[buffer], Vec::new(), dictionary)
        }
    }
}

unsafe extern "C" fn get_schema(stream: *mut ArrowStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the reader passes the stream that it was given, before its release, and room for a schema.
    let pending = unsafe { &*(*stream).private_data.cast::<Pending>() };
    let fields = pending.fields.iter();
    let children = fields.map(|field| Box::into_raw(Box::new(field_schema(field))));
    let made = schema("", c"+s", false, children.collect(), ptr::null_mut());
    // SAFETY: as above; what lay there needs no release.
    unsafe { out.write(made) };
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the reader passes the stream that it was given, before its release, and calls no two functions at once.
    let pending = unsafe { &mut *(*stream).private_data.cast::<Pending>() };
    let made = match pending.table.take() {
        Some(RowTable { rows, columns }) => {
            let columns = columns.into_iter();
            let children = columns.map(|one| Box::into_raw(Box::new(column_array(one, rows))));
            let children = children.collect();
            array(
                rows,
                ArrayData::Struct,
                None,
                &[],
                children,
                ptr::null_mut(),
            )
        }
        // An array that is released already: the end.
        None => ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        },
    };
    // SAFETY: the reader passes room for an array; what lay there needs no release.
    unsafe { out.write(made) };
    0
}

unsafe extern "C" fn get_last_error(_: *mut ArrowStream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowStream) {
    // SAFETY: the reader passes the stream that it was given, once; the pending table was boxed by `of`.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Pending>()));
        (*stream).private_data = ptr::null_mut();
        (*stream).release = None;
    }
}

unsafe extern "C" fn release_schema(this: *mut ArrowSchema) {
    // SAFETY: the reader passes a schema of ours, once. Its parts were boxed by `schema`, and each child or dictionary
    // by `get_schema` or `field_schema`; one that the reader moved away has no `release` any more.
    unsafe {
        let parts = Box::from_raw((*this).private_data.cast::<SchemaParts>());
        for child in parts.children.iter().copied().chain([parts.dictionary]) {
            if !child.is_null() {
                if let Some(release) = (*child).release {
                    release(child);
                }
                drop(Box::from_raw(child));
            }
        }
        (*this).release = None;
    }
}

unsafe extern "C" fn release_array(this: *mut ArrowArray) {
    // SAFETY: as for schemas; the parts were boxed by `array`, its children and dictionary by `get_next` and
    // `column_array`.
    unsafe {
        let parts = Box::from_raw((*this).private_data.cast::<ArrayParts>());
        for child in parts.children.iter().copied().chain([parts.dictionary]) {
            if !child.is_null() {
                if let Some(release) = (*child).release {
                    release(child);
                }
                drop(Box::from_raw(child));
            }
        }
        (*this).release = None;
    }
}
