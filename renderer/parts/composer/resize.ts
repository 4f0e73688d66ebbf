/** Makes pictures of files for posts. */
import type { PostPicture } from '../../api/posts.ts'
import { decode, encode } from '../../ui/pictures.ts'

/** The longer side in pixels. The next size is used if the picture is too large in bytes in any quality. */
const sizes = [2000, 1400, 1000]

/** Returns the picture in a file, small enough for a post; undefined if the browser cannot read it. */
export async function pictureOf(file: Blob): Promise<Omit<PostPicture, 'alt'> | undefined> {
  const bitmap = await decode(file)
  if (!bitmap) return undefined
  try {
    const canvas = document.createElement('canvas')
    for (const size of sizes) {
      draw(canvas, bitmap, size)
      const encoded = await encode(canvas, file.type)
      if (encoded) return { file: encoded, width: canvas.width, height: canvas.height }
    }
    return undefined
  } finally {
    bitmap.close()
  }
}

/** Draws the whole picture, not larger than it is. */
function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap, size: number): void {
  const scale = Math.min(1, size / Math.max(bitmap.width, bitmap.height))
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (!context) return
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
}
