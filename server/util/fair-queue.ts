/** A bounded queue whose sources take turns, so that a source with many jobs does not delay the others. */

export interface FairQueue<Job> {
  /** Waiting jobs. */
  readonly size: number
  /**
   * Adds a job. When the queue is full, the source with the most jobs loses its newest one.
   * @returns the dropped job, which may be the added one; undefined if there was room
   */
  push(source: string, job: Job): Job | undefined
  /** Removes and returns the oldest job of the next source. @param isReady skips sources that may not start a job now */
  shift(isReady?: (source: string) => boolean): Job | undefined
  /** Removes one job, such as that of a closed request. @returns whether it was there */
  remove(source: string, job: Job): boolean
  /** Removes and returns all jobs. */
  clear(): Job[]
}

/** Every operation takes about the same time however many jobs and sources there are, except `remove`. */
export function createFairQueue<Job>(capacity: number): FairQueue<Job> {
  /** Sources with jobs; the first one is next. */
  const queues = new Map<string, Job[]>()
  /** Sources by their number of jobs. */
  const sources: Set<string>[] = []
  let size = 0

  /** Notes that a source has `count` jobs instead of `before`. */
  function count(source: string, before: number, count: number): void {
    size += count - before
    sources[before]?.delete(source)
    if (count > 0) {
      sources[count] ??= new Set()
      sources[count].add(source)
    } else {
      queues.delete(source)
    }
    while (sources.length > 0 && !sources.at(-1)?.size) sources.pop()
  }

  /** Drops a job of the longest source to make room for a source with `own` jobs. @returns undefined if none may be dropped */
  function drop(own: number): Job | undefined {
    const [source = ''] = sources.at(-1) ?? []
    const longest = queues.get(source)
    // With a difference of one, two sources would take turns at dropping each other's jobs.
    if (!longest || longest.length <= own + 1) return undefined
    const job = longest.pop()
    count(source, longest.length + 1, longest.length)
    return job
  }

  return {
    get size() {
      return size
    },

    push(source, job) {
      let lost: Job | undefined
      if (size >= capacity) {
        lost = drop(queues.get(source)?.length ?? 0)
        if (lost === undefined) return job
      }
      const own = queues.get(source) ?? []
      if (own.length === 0) queues.set(source, own)
      own.push(job)
      count(source, own.length - 1, own.length)
      return lost
    },

    shift(isReady = () => true) {
      for (const [source, jobs] of queues) {
        if (!isReady(source)) continue
        const job = jobs.shift()
        // Deleted and set again, so that the source is the last one.
        queues.delete(source)
        if (jobs.length > 0) queues.set(source, jobs)
        count(source, jobs.length + 1, jobs.length)
        return job
      }
      return undefined
    },

    remove(source, job) {
      const jobs = queues.get(source)
      const at = jobs?.indexOf(job) ?? -1
      if (!jobs || at < 0) return false
      jobs.splice(at, 1)
      count(source, jobs.length + 1, jobs.length)
      return true
    },

    clear() {
      const jobs = [...queues.values()].flat()
      queues.clear()
      sources.length = 0
      size = 0
      return jobs
    },
  }
}
