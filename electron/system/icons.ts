/** The app's icons. */
import { join } from 'node:path'
import { type NativeImage, nativeImage } from 'electron'
import { built } from '../ground/folders.ts'

/** macOS recognises a template image by its name and colours it; Windows needs all sizes in one file. */
const trays: Partial<Record<NodeJS.Platform, string>> = { darwin: 'trayTemplate.png', win32: 'tray.ico' }
const files = {
  app: 'icons/linux/256x256.png',
  tray: `tray/${trays[process.platform] ?? 'tray.png'}`,
} as const

export function icon(name: keyof typeof files): NativeImage {
  return nativeImage.createFromPath(join(built, '../build', files[name]))
}

/** A dot for the taskbar icon of Windows, which cannot show a number. */
export function dot(): NativeImage {
  const size = 16
  const pixels = Buffer.alloc(size * size * 4)
  for (let place = 0; place < size * size; place++) {
    const [x, y] = [(place % size) - 7.5, Math.floor(place / size) - 7.5]
    if (x * x + y * y < 49) pixels.set([0x2d, 0x3d, 0xd8, 0xff], place * 4)
  }
  return nativeImage.createFromBitmap(pixels, { width: size, height: size })
}
