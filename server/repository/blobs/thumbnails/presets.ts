/** The kinds of thumbnails. Names as in the image service of the network; its sizes are for more pixels per point. */
import type { com } from '../../../../lexicons/generated/index.ts'

export type Preset = NonNullable<com.core.sync.getBlob.$Params['preset']>

export interface Size {
  readonly width: number
  readonly height: number
}

/** The box into which a picture is fitted. */
export const boxes: Readonly<Record<Preset, Size>> = {
  avatar_thumbnail: { width: 256, height: 256 },
  banner: { width: 1500, height: 1500 },
  feed_thumbnail: { width: 1000, height: 1000 },
}

/** Returns the size of a picture in a box: its proportions stay, and it is never enlarged. */
export function fitInto({ width, height }: Size, box: Size): Size {
  const scale = Math.min(1, box.width / width, box.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}
