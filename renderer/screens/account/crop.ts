/** Crops pictures in the page to the shapes of the profile. */

/** The shape of a picture: its aspect ratio and the largest size in pixels. */
export interface Shape {
  readonly width: number
  readonly height: number
}

export const shapes = {
  avatar: { width: 1000, height: 1000 },
  banner: { width: 1500, height: 500 },
} as const satisfies Record<string, Shape>

/** The visible part of a picture. */
export interface Crop {
  /** 1 shows as much as fits; larger values show less. */
  readonly zoom: number
  /** The place of the shown part, from 0 (left, top) to 1 (right, bottom). */
  readonly x: number
  readonly y: number
}

/** The part of the picture to show, in its pixels. */
export function sourceOf(picture: Shape, shape: Shape, { zoom, x, y }: Crop) {
  const scale = Math.min(picture.width / shape.width, picture.height / shape.height) / zoom
  const width = shape.width * scale
  const height = shape.height * scale
  return { left: (picture.width - width) * x, top: (picture.height - height) * y, width, height }
}

/** Draws the shown part on a canvas, not larger than it is in the picture. */
export function drawCrop(canvas: HTMLCanvasElement, picture: ImageBitmap, shape: Shape, crop: Crop): void {
  const { left, top, width, height } = sourceOf(picture, shape, crop)
  canvas.width = Math.max(1, Math.round(Math.min(shape.width, width)))
  canvas.height = Math.max(1, Math.round(Math.min(shape.height, height)))
  const context = canvas.getContext('2d')
  if (!context) return
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height)
}
