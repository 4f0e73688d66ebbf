/** When transactions were written: since when a place lacks changes follows from the number of its last one. */
export interface Backlog {
  /** Records that the store has reached transaction `seq`. */
  add(seq: number, at: Date): void
  /** Returns when the oldest transaction after `seq` was written; undefined if none was since the start. */
  since(seq: number): Date | undefined
}

/** Marks that are kept. Older ones are joined, so that a place that is away for long costs no memory. */
const maxMarks = 1000

export function createBacklog(): Backlog {
  /** Ascending: the transactions up to `seq` that follow the mark before were written at `at` or later. */
  const marks: { seq: number; readonly at: Date }[] = []
  return {
    add(seq, at) {
      const last = marks.at(-1)
      if (last && seq <= last.seq) return
      if (last && marks.length === maxMarks) last.seq = seq
      else marks.push({ seq, at })
    },
    since(seq) {
      while (marks[0] && marks[0].seq <= seq) marks.shift()
      return marks[0]?.at
    },
  }
}
