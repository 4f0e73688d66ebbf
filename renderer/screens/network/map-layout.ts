/** Where the nodes of the drawing are, and the lines that lead to them. Lengths are percentages of the drawing. */

export interface MapPlace {
  readonly side: 'left' | 'right'
  /** The first of the two rows of the grid that it takes, from 1. */
  readonly row: number
  /** The path of the line from the middle to its edge. */
  readonly line: string
}

/** The edges of the columns beside the middle. */
const edges = { left: 34, right: 66 }
const middle = 50

/** Returns the places of nodes: the first half on the right, from above, the others on the left. The shorter side is centred. */
export function placesOf(count: number): MapPlace[] {
  const onRight = Math.ceil(count / 2)
  const onLeft = count - onRight
  return Array.from({ length: count }, (_, index) => {
    const isRight = index < onRight
    const at = isRight ? index : index - onRight
    const above = isRight ? 0 : onRight - onLeft
    const row = 1 + above + 2 * at
    // Each node takes two of the rows, and its line ends between them.
    const y = Math.round((row / (2 * onRight)) * 1000) / 10
    const side = isRight ? 'right' : 'left'
    return { side, row, line: lineTo(edges[side], y) }
  })
}

function lineTo(x: number, y: number): string {
  const bend = (middle + x) / 2
  return `M${middle} ${middle}C${bend} ${middle} ${bend} ${y} ${x} ${y}`
}
