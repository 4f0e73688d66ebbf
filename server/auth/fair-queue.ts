/** A bounded queue whose sources take turns, so that a source with many jobs does not delay the others. */

export interface FairQueue<Job> {
  /**
   * Adds a job. When the queue is full, the source with the most jobs loses its newest one.
   * @returns the dropped job, which may be the added one; undefined if there was room
   */
  push(source: string, job: Job): Job | undefined
  /** Removes and returns the oldest job of the next source. */
  shift(): Job | undefined
  /** Removes and returns all jobs. */
  clear(): Job[]
}

export function createFairQueue<Job>(capacity: number): FairQueue<Job> {
  /** Sources with jobs; the first one is next. */
  const queues = new Map<string, Job[]>()
  let size = 0

  /** Drops a job of the longest source to make room for a source with `own` jobs. @returns undefined if none may be dropped */
  function drop(own: number): Job | undefined {
    const [source, longest] = [...queues].reduce((most, next) =>
      next[1].length > most[1].length ? next : most,
    )
    // With a difference of one, two sources would take turns at dropping each other's jobs.
    if (longest.length <= own + 1) return undefined
    const dropped = longest.pop()
    if (longest.length === 0) queues.delete(source)
    return dropped
  }

  return {
    push(source, job) {
      let dropped: Job | undefined
      if (size >= capacity) {
        dropped = drop(queues.get(source)?.length ?? 0)
        if (dropped === undefined) return job
        size--
      }
      const own = queues.get(source)
      if (own) own.push(job)
      else queues.set(source, [job])
      size++
      return dropped
    },

    shift() {
      const [next] = queues
      if (next === undefined) return undefined
      const [source, jobs] = next
      const job = jobs.shift()
      queues.delete(source)
      if (jobs.length > 0) queues.set(source, jobs)
      size--
      return job
    },

    clear() {
      const jobs = [...queues.values()].flat()
      queues.clear()
      size = 0
      return jobs
    },
  }
}
