/**
 * Memory for whole files. glibc maps blocks of more than 32 MB by themselves and unmaps them when they are freed. Freed smaller
 * blocks raise the size from which it maps, so that large buffers end up in its heap, which then keeps gaps of many megabytes.
 */

/**
 * In bytes: more than 33 MB, and enough for the import of 100,000 records, during which a copy would delay other requests. Memory
 * that is never written to takes none of the machine's.
 */
const smallestMapped = 128 * 1024 * 1024

/** Returns the size of the buffer for a file that may grow to twice its length. */
export function sizeWithRoom(length: number): number {
  return Math.max(2 * length, smallestMapped)
}

/** Allocates `length` bytes at the start of a larger buffer. */
export function allocateWithRoom(length: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer(sizeWithRoom(length)), 0, length)
}
