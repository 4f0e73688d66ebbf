/**
 * Reads and encodes pictures in the page. A picture is always encoded anew, which removes what its file says of place, time and camera.
 */
import { useEffect, useState } from 'react'

const maxBytes = 1_000_000

/** Decodes a picture, upright; undefined if the browser cannot read the file. */
export function decode(file: Blob): Promise<ImageBitmap | undefined> {
  return createImageBitmap(file).catch(() => undefined)
}

const qualities = [0.92, 0.85, 0.75, 0.6, 0.4]

/** Encodes the canvas to at most 1 MB: as PNG if that is small enough, for drawings and transparency, else as JPEG. @param type the type of the file */
export async function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob | undefined> {
  if (type === 'image/png') {
    const png = await blobOf(canvas, 'image/png')
    if (png && png.size <= maxBytes) return png
  }
  const opaque = onWhite(canvas)
  for (const quality of qualities) {
    const jpeg = await blobOf(opaque, 'image/jpeg', quality)
    if (jpeg && jpeg.size <= maxBytes) return jpeg
  }
  return undefined
}

/** JPEG has no transparency and would show it as black. */
function onWhite(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const copy = document.createElement('canvas')
  copy.width = canvas.width
  copy.height = canvas.height
  const context = copy.getContext('2d')
  if (!context) return canvas
  context.fillStyle = 'white'
  context.fillRect(0, 0, copy.width, copy.height)
  context.drawImage(canvas, 0, 0)
  return copy
}

function blobOf(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob | null> {
  return new Promise((resolve) => {
    canvas.toBlob(resolve, type, quality)
  })
}

/** A URL for a picture in memory. */
export function usePreview(picture: Blob | null | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!picture) return setUrl(undefined)
    const created = URL.createObjectURL(picture)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [picture])
  return url
}
