// RocksDB on the file system of a host: each call of RocksDB to its file system becomes a call of the host, one at a time.
//
// Under Callgrind every call of the host ends a stretch of the calling thread: what the thread executed since its previous
// call is dumped under the number of the call. What the host executes is not counted: neither within its calls nor between
// those of the database.

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(text)
#define CALLGRIND_ZERO_STATS
#define RUNNING_ON_VALGRIND 0
#endif

using namespace rocksdb;

extern "C" {
// Bytes that the caller of a function owns.
struct WlBytes {
  const char* data;
  size_t bytes;
};
// Takes bytes during a call.
typedef void (*WlTake)(void* to, WlBytes bytes);
// The host's calls. Each returns 0, or a WlFailure.
struct WlHost {
  void* context;
  // Comes before each of the others: the number of the call.
  void (*begin)(void*, uint64_t number);
  void (*mark)(void*, WlBytes name);
  int (*open)(void*, WlBytes path, int how, uint32_t* file);
  int (*close)(void*, uint32_t file);
  int (*read)(void*, uint32_t file, uint64_t at, char* out, size_t bytes, size_t* found);
  int (*write)(void*, uint32_t file, uint64_t at, WlBytes data);
  int (*truncate)(void*, uint32_t file, uint64_t bytes);
  int (*sync)(void*, uint32_t file, bool all);
  int (*sync_dir)(void*, WlBytes path);
  int (*create_dir)(void*, WlBytes path);
  int (*remove)(void*, WlBytes path);
  int (*rename)(void*, WlBytes from, WlBytes to);
  int (*entry)(void*, WlBytes path, bool* is_dir, uint64_t* bytes);
  int (*list)(void*, WlBytes path, void* to, WlTake take);
};
}

namespace {
enum WlFailure { kOk = 0, kNotFound = 1, kFull = 2, kOther = 3 };
enum WlOpening { kRead = 0, kWrite = 1, kCreate = 2, kReplace = 3 };

WlBytes View(const std::string& text) { return {text.data(), text.size()}; }
WlBytes View(const Slice& slice) { return {slice.data(), slice.size()}; }

// The host, called by one thread at a time.
class Host {
 public:
  explicit Host(const WlHost& host) : host_(host) {}

  // Makes a call.
  template <class Call, class... Args>
  IOStatus Do(const std::string& what, Call call, Args... args) {
    CALLGRIND_TOGGLE_COLLECT;
    mutex_.lock();
    Begin();
    int code = (host_.*call)(host_.context, args...);
    mutex_.unlock();
    CALLGRIND_TOGGLE_COLLECT;
    switch (code) {
      case kOk: return IOStatus::OK();
      case kNotFound: return IOStatus::NotFound(what);
      case kFull: return IOStatus::NoSpace(what);
      default: return IOStatus::IOError(what);
    }
  }

  void Mark(WlBytes name) {
    std::lock_guard<std::mutex> one_at_a_time(mutex_);
    Begin();
    host_.mark(host_.context, name);
  }

 private:
  void Begin() {
    char text[24];
    snprintf(text, sizeof text, "call %llu", static_cast<unsigned long long>(++calls_));
    CALLGRIND_DUMP_STATS_AT(text);
    host_.begin(host_.context, calls_);
  }

  const WlHost host_;
  std::mutex mutex_;
  uint64_t calls_ = 0;
};

// A file that is open, for any of RocksDB's kinds of files.
struct Open {
  Host& host;
  const std::string path;
  uint32_t file;
  bool is_open = true;

  IOStatus Read(uint64_t at, size_t n, Slice* result, char* scratch) const {
    size_t found = 0;
    IOStatus done = host.Do(path, &WlHost::read, file, at, scratch, n, &found);
    *result = Slice(scratch, found);
    return done;
  }
  IOStatus Close() {
    if (!is_open) return IOStatus::OK();
    is_open = false;
    return host.Do(path, &WlHost::close, file);
  }
  ~Open() { Close().PermitUncheckedError(); }
};

class Sequential : public FSSequentialFile {
 public:
  Sequential(Host& host, const std::string& path, uint32_t file) : open_{host, path, file} {}
  IOStatus Read(size_t n, const IOOptions&, Slice* result, char* scratch, IODebugContext*) override {
    IOStatus done = open_.Read(at_, n, result, scratch);
    at_ += result->size();
    return done;
  }
  IOStatus Skip(uint64_t n) override { at_ += n; return IOStatus::OK(); }

 private:
  Open open_;
  uint64_t at_ = 0;
};

class RandomAccess : public FSRandomAccessFile {
 public:
  RandomAccess(Host& host, const std::string& path, uint32_t file) : open_{host, path, file} {}
  IOStatus Read(uint64_t at, size_t n, const IOOptions&, Slice* result, char* scratch, IODebugContext*) const override {
    return open_.Read(at, n, result, scratch);
  }

 private:
  Open open_;
};

class Writable : public FSWritableFile {
 public:
  Writable(Host& host, const std::string& path, uint32_t file, uint64_t length)
      : open_{host, path, file}, length_(length) {}
  using FSWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    IOStatus done = open_.host.Do(open_.path, &WlHost::write, open_.file, length_, View(data));
    if (done.ok()) length_ += data.size();
    return done;
  }
  IOStatus Truncate(uint64_t bytes, const IOOptions&, IODebugContext*) override {
    if (bytes == length_) return IOStatus::OK();
    IOStatus done = open_.host.Do(open_.path, &WlHost::truncate, open_.file, bytes);
    if (done.ok()) length_ = bytes;
    return done;
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return open_.Close(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    return open_.host.Do(open_.path, &WlHost::sync, open_.file, false);
  }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return open_.host.Do(open_.path, &WlHost::sync, open_.file, true);
  }
  bool IsSyncThreadSafe() const override { return true; }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return length_; }

 private:
  Open open_;
  uint64_t length_;
};

class Directory : public FSDirectory {
 public:
  Directory(Host& host, const std::string& path) : host_(host), path_(path) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return host_.Do(path_, &WlHost::sync_dir, View(path_));
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  Host& host_;
  const std::string path_;
};

class HostFiles : public FileSystem {
 public:
  explicit HostFiles(const WlHost& host) : host_(host) {}
  const char* Name() const override { return "WordlineFiles"; }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions&, std::unique_ptr<FSSequentialFile>* result,
                             IODebugContext*) override {
    return Opened<Sequential>(path, kRead, result);
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions&,
                               std::unique_ptr<FSRandomAccessFile>* result, IODebugContext*) override {
    return Opened<RandomAccess>(path, kRead, result);
  }
  IOStatus NewWritableFile(const std::string& path, const FileOptions&, std::unique_ptr<FSWritableFile>* result,
                           IODebugContext*) override {
    return Opened<Writable>(path, kReplace, result, uint64_t{0});
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions&, std::unique_ptr<FSWritableFile>* result,
                              IODebugContext*) override {
    bool is_dir;
    uint64_t bytes = 0;
    Entry(path, &is_dir, &bytes).PermitUncheckedError();
    return Opened<Writable>(path, kCreate, result, bytes);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions&, std::unique_ptr<FSDirectory>* result,
                        IODebugContext*) override {
    result->reset(new Directory(host_, path));
    return IOStatus::OK();
  }
  IOStatus FileExists(const std::string& path, const IOOptions&, IODebugContext*) override {
    bool is_dir;
    uint64_t bytes;
    return Entry(path, &is_dir, &bytes);
  }
  IOStatus GetChildren(const std::string& path, const IOOptions&, std::vector<std::string>* result,
                       IODebugContext*) override {
    result->clear();
    WlTake take = [](void* to, WlBytes name) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(name.data, name.bytes);
    };
    return host_.Do(path, &WlHost::list, View(path), static_cast<void*>(result), take);
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) override {
    return host_.Do(path, &WlHost::remove, View(path));
  }
  IOStatus DeleteDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    return host_.Do(path, &WlHost::remove, View(path));
  }
  IOStatus CreateDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    return host_.Do(path, &WlHost::create_dir, View(path));
  }
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions& options, IODebugContext* debug) override {
    IOStatus found = FileExists(path, options, debug);
    return found.IsNotFound() ? CreateDir(path, options, debug) : found;
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions&, uint64_t* bytes, IODebugContext*) override {
    bool is_dir;
    return Entry(path, &is_dir, bytes);
  }
  // Files have no times.
  IOStatus GetFileModificationTime(const std::string&, const IOOptions&, uint64_t* seconds, IODebugContext*) override {
    *seconds = 0;
    return IOStatus::OK();
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions&, IODebugContext*) override {
    return host_.Do(from, &WlHost::rename, View(from), View(to));
  }
  // One process has the host, so that a lock is a file that is there.
  IOStatus LockFile(const std::string& path, const IOOptions&, FileLock** lock, IODebugContext*) override {
    std::unique_ptr<FSWritableFile> made;
    IOStatus done = Opened<Writable>(path, kCreate, &made, uint64_t{0});
    *lock = done.ok() ? new FileLock() : nullptr;
    return done;
  }
  IOStatus UnlockFile(FileLock* lock, const IOOptions&, IODebugContext*) override {
    delete lock;
    return IOStatus::OK();
  }
  IOStatus GetTestDirectory(const IOOptions&, std::string* path, IODebugContext*) override {
    *path = "/";
    return IOStatus::OK();
  }
  IOStatus GetAbsolutePath(const std::string& path, const IOOptions&, std::string* result, IODebugContext*) override {
    *result = path;
    return IOStatus::OK();
  }
  IOStatus IsDirectory(const std::string& path, const IOOptions&, bool* is_dir, IODebugContext*) override {
    uint64_t bytes;
    return Entry(path, is_dir, &bytes);
  }

  void Mark(WlBytes name) { host_.Mark(name); }

 private:
  IOStatus Entry(const std::string& path, bool* is_dir, uint64_t* bytes) {
    return host_.Do(path, &WlHost::entry, View(path), is_dir, bytes);
  }
  template <class File, class Base, class... Args>
  IOStatus Opened(const std::string& path, int how, std::unique_ptr<Base>* result, Args... args) {
    uint32_t file;
    IOStatus done = host_.Do(path, &WlHost::open, View(path), how, &file);
    if (done.ok()) result->reset(new File(host_, path, file, args...));
    return done;
  }

  Host host_;
};

// A database with what it needs; members go in the reverse order.
struct Store {
  std::shared_ptr<HostFiles> files;
  std::unique_ptr<Env> env;
  std::unique_ptr<DB> db;
};

// As long as it is there, the thread's instructions are counted.
struct Counted {
  Counted() { CALLGRIND_TOGGLE_COLLECT; }
  ~Counted() { CALLGRIND_TOGGLE_COLLECT; }
};

Status Get(DB* db, const Slice& key, PinnableSlice* found) {
  Counted counted;
  return db->Get(ReadOptions(), db->DefaultColumnFamily(), key, found);
}

// 0, or 1 with the reason; 2 where there is no such record.
int Said(const Status& status, void* to, WlTake why) {
  if (status.ok()) return 0;
  if (status.IsNotFound()) return 2;
  std::string text = status.ToString();
  why(to, View(text));
  return 1;
}
}  // namespace

extern "C" {
bool wl_rocksdb_is_counted() { return RUNNING_ON_VALGRIND != 0; }

uint32_t wl_rocksdb_version() { return ROCKSDB_MAJOR * 10000 + ROCKSDB_MINOR * 100 + ROCKSDB_PATCH; }

// Opens a database with RocksDB's defaults. `write_buffer` of 0 is the default.
int wl_rocksdb_open(const WlHost* host, WlBytes dir, size_t write_buffer, Store** store, void* to, WlTake why) {
  CALLGRIND_ZERO_STATS;
  auto opened = std::make_unique<Store>();
  opened->files = std::make_shared<HostFiles>(*host);
  opened->env = NewCompositeEnv(opened->files);
  Options options;
  options.create_if_missing = true;
  options.env = opened->env.get();
  if (write_buffer != 0) options.write_buffer_size = write_buffer;
  DB* db = nullptr;
  Status status = DB::Open(options, std::string(dir.data, dir.bytes), &db);
  opened->db.reset(db);
  CALLGRIND_TOGGLE_COLLECT;
  *store = status.ok() ? opened.release() : nullptr;
  return status.ok() ? 0 : (Said(status, to, why), 1);
}

int wl_rocksdb_close(Store* store, void* to, WlTake why) {
  Counted counted;
  std::unique_ptr<Store> closing(store);
  return Said(closing->db->Close(), to, why);
}

int wl_rocksdb_put(Store* store, WlBytes key, WlBytes value, bool sync, void* to, WlTake why) {
  WriteOptions options;
  options.sync = sync;
  Counted counted;
  return Said(store->db->Put(options, Slice(key.data, key.bytes), Slice(value.data, value.bytes)), to, why);
}

int wl_rocksdb_remove(Store* store, WlBytes key, bool sync, void* to, WlTake why) {
  WriteOptions options;
  options.sync = sync;
  Counted counted;
  return Said(store->db->Delete(options, Slice(key.data, key.bytes)), to, why);
}

int wl_rocksdb_get(Store* store, WlBytes key, void* to, WlTake value, WlTake why) {
  PinnableSlice found;
  Status status = Get(store->db.get(), Slice(key.data, key.bytes), &found);
  if (status.ok()) value(to, View(found));
  return Said(status, to, why);
}

// Every record, in the order of the keys: key and value one after the other.
int wl_rocksdb_each(Store* store, void* to, WlTake record, WlTake why) {
  std::unique_ptr<Iterator> at(store->db->NewIterator(ReadOptions()));
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    record(to, View(at->key()));
    record(to, View(at->value()));
  }
  return Said(at->status(), to, why);
}

void wl_rocksdb_mark(Store* store, WlBytes name) { store->files->Mark(name); }
}
