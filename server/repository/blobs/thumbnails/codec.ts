/** Loads the WebAssembly modules of the codecs. They would fetch them by HTTP, and declare memories of up to 4 GB. */
import { readFile } from 'node:fs/promises'

const pageBytes = 65_536
/** Of one codec. The largest permitted pictures take 100 MB of their decoder. */
const maxPages = (128 * 2 ** 20) / pageBytes

/** Reads a module, and limits its memory: an allocation beyond fails in the codec. @param address URL of its file */
export async function readCodec(address: string): Promise<Buffer<ArrayBuffer>> {
  return limitMemory(await readFile(new URL(address)))
}

const memorySection = 5

/** Replaces the memory section (WebAssembly Core Specification §5.5.8), which is there once. */
function limitMemory(module: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  for (let at = 8; at < module.length; ) {
    const [size, start] = readVarint(module, at + 1)
    if (module[at] === memorySection) {
      const [count, flagsAt] = readVarint(module, start)
      const [min] = readVarint(module, flagsAt + 1)
      // Flags 0 and 1: a 32-bit memory of one thread; 1 has a maximum.
      if (count !== 1 || (module[flagsAt] ?? 2) > 1) break
      const section = [1, 1, ...varint(min), ...varint(maxPages)]
      const replaced = Buffer.from([memorySection, section.length, ...section])
      return Buffer.concat([module.subarray(0, at), replaced, module.subarray(start + size)])
    }
    at = start + size
  }
  throw new Error('The codec has a memory that cannot be limited')
}

/** Returns an unsigned LEB128 number and the position after it. */
function readVarint(bytes: Buffer, at: number): [value: number, end: number] {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes.readUInt8(at++)
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return [value, at]
  }
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
