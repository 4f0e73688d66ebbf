/** The committed icons are complete and have the sizes that each system needs. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const build = join(import.meta.dirname, '../../../build')
const read = (name: string) => readFileSync(join(build, name))

/** Returns the width of a square PNG, from its first chunk. */
function sizeOf(png: Buffer): number {
  expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  expect(png.subarray(-8, -4).toString()).toBe('IEND')
  expect(png.readUInt32BE(20)).toBe(png.readUInt32BE(16))
  return png.readUInt32BE(16)
}

function sizesOfIco(ico: Buffer): number[] {
  expect(ico.readUInt16LE(2)).toBe(1)
  return Array.from({ length: ico.readUInt16LE(4) }, (_, i) => {
    const entry = ico.subarray(6 + 16 * i, 22 + 16 * i)
    const offset = entry.readUInt32LE(12)
    const size = sizeOf(ico.subarray(offset, offset + entry.readUInt32LE(8)))
    expect(entry.readUInt8(0) || 256).toBe(size)
    return size
  })
}

function sizesOfIcns(icns: Buffer): Record<string, number> {
  expect(icns.toString('latin1', 0, 4)).toBe('icns')
  expect(icns.readUInt32BE(4)).toBe(icns.length)
  const sizes: Record<string, number> = {}
  for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4)) {
    const png = icns.subarray(at + 8, at + icns.readUInt32BE(at + 4))
    sizes[icns.toString('latin1', at, at + 4)] = sizeOf(png)
  }
  return sizes
}

test('Windows icons: have every size from 16 to 256 pixels', () => {
  expect(sizesOfIco(read('icons/icon.ico'))).toEqual([16, 24, 32, 48, 64, 128, 256])
  expect(sizesOfIco(read('tray/tray.ico'))).toEqual([16, 20, 24, 32, 48])
})

test('macOS icons: have every size in both resolutions', () => {
  expect(sizesOfIcns(read('icons/icon.icns'))).toEqual({
    ic11: 32,
    ic12: 64,
    ic07: 128,
    ic08: 256,
    ic13: 256,
    ic09: 512,
    ic14: 512,
    ic10: 1024,
  })
  expect(sizeOf(read('tray/trayTemplate.png'))).toBe(16)
  expect(sizeOf(read('tray/trayTemplate@2x.png'))).toBe(32)
})

test('Linux icons: have the size that their file name says', () => {
  const names = readdirSync(join(build, 'icons/linux'))
  expect(names).toHaveLength(8)
  for (const name of names) {
    const size = sizeOf(read(join('icons/linux', name)))
    expect(name).toBe(`${size}x${size}.png`)
  }
  expect(sizeOf(read('tray/tray.png'))).toBe(24)
  expect(sizeOf(read('tray/tray@2x.png'))).toBe(48)
})
