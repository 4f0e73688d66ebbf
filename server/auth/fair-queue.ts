/** A bounded queue that is fair between sources: many jobs of one do not delay the few of another. */

export interface FairQueue<Job> {
  /**
   * Adds a job. When the queue is full, the source with the most jobs loses its newest one.
   * @returns the job that was dropped, be it the added one; undefined when there was room
   */
  push(source: string, job: Job): Job | undefined
  /** Takes the oldest job of the source whose turn it is. */
  shift(): Job | undefined
  /** Takes all jobs. */
  clear(): Job[]
}

export function createFairQueue<Job>(capacity: number): FairQueue<Job> {
  /** Sources with jobs; the first one is next. */
  const queues = new Map<string, Job[]>()
  let size = 0

  /** Makes room for a job of a source that has `own` jobs. */
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
