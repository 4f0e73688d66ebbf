/** Since when a place lacks changes. */
export interface Backlog {
  /** When the oldest change was made that the place lacks; undefined if it has everything. */
  readonly since: Date | undefined
  /** Records a change. */
  add(at: Date): void
  /** Runs a step that returns whether the place has all changes from before it. One at a time. */
  during(step: () => Promise<boolean>): Promise<void>
}

export function createBacklog(): Backlog {
  let since: Date | undefined
  /** When the oldest change was made since the current step began. */
  let later: Date | undefined
  return {
    get since() {
      return since
    },
    add(at) {
      since ??= at
      later ??= at
    },
    async during(step) {
      later = undefined
      if (await step()) since = later
    },
  }
}
