/** Makes a picture smaller: each pixel of the result is the mean of the area that it covers. */
import type { Size } from './presets.ts'

/** Pixels of four bytes, row by row: red, green, blue, alpha. */
export interface Pixels extends Size {
  readonly data: Uint8ClampedArray
}

/** For each column or row: the one of the result that it belongs to, and its share there. The rest belongs to the next. */
interface Shares {
  readonly places: Uint32Array
  readonly shares: Float32Array
}

/** Needs memory for the result and one row only. @param size not larger than the picture */
export function shrink(from: Pixels, size: Size): Pixels {
  const columns = sharesOf(from.width, size.width)
  const rows = sharesOf(from.height, size.height)
  // One more column and row, to which the last ones give a share of zero.
  const stride = (size.width + 1) * 4
  const sums = new Float32Array(stride * (size.height + 1))
  const row = new Float32Array(stride)
  for (let y = 0; y < from.height; y++) {
    row.fill(0)
    addRow(row, from, y, columns)
    const start = (rows.places[y] as number) * stride
    const share = rows.shares[y] as number
    for (let i = 0; i < stride; i++) {
      const value = row[i] as number
      sums[start + i] = (sums[start + i] as number) + value * share
      if (share < 1) sums[start + stride + i] = (sums[start + stride + i] as number) + value * (1 - share)
    }
  }
  const area = (from.width / size.width) * (from.height / size.height)
  return { ...size, data: toBytes(sums, stride, size, area) }
}

function sharesOf(length: number, target: number): Shares {
  const places = new Uint32Array(length)
  const shares = new Float32Array(length)
  const ratio = length / target
  for (let i = 0; i < length; i++) {
    const place = Math.min(target - 1, Math.floor(i / ratio))
    places[i] = place
    shares[i] = place === target - 1 ? 1 : Math.min(1, Math.max(0, (place + 1) * ratio - i))
  }
  return { places, shares }
}

/** Adds a row of the picture to a row of the result's width. Colours count by their alpha. */
function addRow(row: Float32Array, { data, width }: Pixels, y: number, { places, shares }: Shares): void {
  for (let x = 0, at = y * width * 4; x < width; x++, at += 4) {
    const alpha = data[at + 3] as number
    const to = (places[x] as number) * 4
    const share = (shares[x] as number) * alpha
    addPixel(row, to, data, at, share)
    if (shares[x] !== 1) addPixel(row, to + 4, data, at, alpha - share)
  }
}

function addPixel(row: Float32Array, to: number, data: Uint8ClampedArray, at: number, weight: number): void {
  row[to] = (row[to] as number) + (data[at] as number) * weight
  row[to + 1] = (row[to + 1] as number) + (data[at + 1] as number) * weight
  row[to + 2] = (row[to + 2] as number) + (data[at + 2] as number) * weight
  row[to + 3] = (row[to + 3] as number) + weight
}

function toBytes(
  sums: Float32Array,
  stride: number,
  { width, height }: Size,
  area: number,
): Uint8ClampedArray {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, at = y * stride; x < width; x++, at += 4, to += 4) {
      const alpha = sums[at + 3] as number
      if (alpha === 0) continue
      for (let c = 0; c < 3; c++) data[to + c] = (sums[at + c] as number) / alpha
      data[to + 3] = alpha / area
    }
  }
  return data
}
