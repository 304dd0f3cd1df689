package machine

// FileSystem is what is known of a file system by its type.
type FileSystem struct {
	Name string // empty if the type needs no remark
	// Unsafe reports that machines share the file system without keeping locks and mapped
	// memory in step, both of which SQLite relies on. If it is false and Name is not empty, it
	// depends on how the file system is set up.
	Unsafe bool
}

// kinds are the types of file systems that machines share, by their numbers in Linux
// (statfs(2), linux/magic.h).
var fileSystems = map[uint32]FileSystem{
	0x6969:     {"NFS", true},
	0x517b:     {"SMB", true},
	0xff534d42: {"CIFS", true},
	0xfe534d42: {"SMB", true},
	0x5346414f: {"AFS", true},
	0x6b414653: {"AFS", true},
	0x73757245: {"Coda", true},
	0x564c:     {"NCP", true},
	0x01021997: {"9P", false},
	0x65735546: {"FUSE", false},
	0x00c36400: {"Ceph", false},
	0x0bd00bd0: {"Lustre", false},
	0x19830326: {"BeeGFS", false},
	0x47504653: {"GPFS", false},
	0x01161970: {"GFS2", false},
	0x7461636f: {"OCFS2", false},
	0x786f4256: {"a shared folder of VirtualBox", false},
	0xbacbacbc: {"a shared folder of VMware", false},
}
