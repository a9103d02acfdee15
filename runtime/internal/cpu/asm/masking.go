package asm

// lengthened are instructions that work on vectors of a length.
type lengthened interface {
	VVX | VVXI | VX | VXI | XV | XVI | VM | VN | NV | VG | KVX | KVXI | KXI
}

// maskable are instructions that can leave out elements.
type maskable interface {
	VVX | VVXI | VX | VXI | XV | XVI | VM | VN | NV | VG | KVX | KVXI | KXI
}

// zeroable are instructions that can set to zero what a mask leaves out.
type zeroable interface {
	VVX | VVXI | VX | VXI | XV | XVI | VM | VG
}

// Mask returns op for the elements of k. The others of its destination stay, or are 0 where
// that is a mask register.
func Mask[T maskable](op T, k K) T { return op&^(7<<maskShift) | masked | T(k&7)<<maskShift }

// Zero returns op for the elements of k. The others of its destination become 0.
func Zero[T zeroable](op T, k K) T { return Mask(op, k) | zeroing }

// Len128 returns op for vectors of 128 bits.
func Len128[T lengthened](op T) T { return op &^ lengths }

// Len256 returns op for vectors of 256 bits.
func Len256[T lengthened](op T) T { return op&^lengths | l256 }
