/** Finds a short list of steps that fails as a longer one does. */
import type { Step } from './scenarios.ts'

export interface ShrinkOptions {
  /** Whether a list of steps fails in the same way. */
  readonly fails: (steps: readonly Step[]) => Promise<boolean>
  /** How many lists are tried at a time. */
  readonly together?: number
  /** Whether the search ends with what it has. */
  readonly isOver?: () => boolean
}

/** Removes ever smaller chunks (delta debugging). Without a limit of time, each step that is left is needed. */
export async function shrink(steps: readonly Step[], options: ShrinkOptions): Promise<readonly Step[]> {
  let left = steps
  for (let size = Math.ceil(steps.length / 2); size >= 1; ) {
    const shorter = await removeChunks(left, size, options)
    const isDone = size === 1 && shorter.length === left.length
    left = shorter
    if (isDone || options.isOver?.()) break
    size = Math.ceil(Math.min(size, left.length) / 2)
  }
  return left
}

/** Removes each chunk of a size whose steps are not needed, from the last to the first. */
async function removeChunks(
  steps: readonly Step[],
  size: number,
  { fails, together = 1, isOver = () => false }: ShrinkOptions,
): Promise<readonly Step[]> {
  let left = steps
  for (let end = left.length; end > 0 && !isOver(); ) {
    const ends = Array.from({ length: together }, (_, i) => end - i * size).filter((at) => at > 0)
    const lists = ends.map((at) => left.filter((_, i) => i < at - size || i >= at))
    const found = (await Promise.all(lists.map(fails))).indexOf(true)
    if (found >= 0) left = lists[found] as readonly Step[]
    end = (ends[found < 0 ? ends.length - 1 : found] as number) - size
  }
  return left
}

/** Returns the kind of a violation: its first words, without the names and numbers of a run. */
export function kindOf(violation: string): string {
  const first = violation.split(/; |\n/)[0] as string
  return first.replace(/\S*[\d/]\S*|\bdid:\S+/g, '#').replace(/\b(one|two|three)\b/g, '#')
}
