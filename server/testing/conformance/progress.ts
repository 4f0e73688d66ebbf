/** Says how far a measurement is while its report is not printed yet. */
import { clearHeartbeat, setHeartbeat } from '../../util/deadlines.ts'

const everyMs = 5000

/** @param total number of requirements @param warn prints a line */
export function reportProgress(total: number, warn: (text: string) => void) {
  let done = 0
  const timer = setHeartbeat(() => warn(`${done} of ${total} requirements`), everyMs)
  return {
    onResult() {
      done++
    },
    end: () => clearHeartbeat(timer),
  }
}
