/** The pictures of the program. */
import { join } from 'node:path'
import { type NativeImage, nativeImage } from 'electron'
import { built } from './folders.ts'

/** macOS takes a tray picture for a template by its name, and colours it itself; Windows wants all sizes in one file. */
const trays: Partial<Record<NodeJS.Platform, string>> = { darwin: 'trayTemplate.png', win32: 'tray.ico' }
const files = {
  app: 'icons/linux/256x256.png',
  tray: `tray/${trays[process.platform] ?? 'tray.png'}`,
} as const

export function icon(name: keyof typeof files): NativeImage {
  return nativeImage.createFromPath(join(built, '../build', files[name]))
}

/** A dot over the icon in the taskbar of Windows, which shows no number. */
export function dot(): NativeImage {
  const size = 16
  const pixels = Buffer.alloc(size * size * 4)
  for (let place = 0; place < size * size; place++) {
    const [x, y] = [(place % size) - 7.5, Math.floor(place / size) - 7.5]
    if (x * x + y * y < 49) pixels.set([0x2d, 0x3d, 0xd8, 0xff], place * 4)
  }
  return nativeImage.createFromBitmap(pixels, { width: size, height: size })
}
