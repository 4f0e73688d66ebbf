/** What an account has set, by name. Of a change whose answer was lost it is unknown whether it was made. */
interface Setting {
  /** Whether it may have any value. */
  isUnknown?: boolean
  possible: Set<string>
  /** Every value that it may have had since the last check. */
  recent: Set<string>
}

export class Settings {
  readonly #settings = new Map<string, Setting>()

  clone(): Settings {
    const copy = new Settings()
    for (const [name, { possible, recent }] of this.#settings)
      copy.#settings.set(name, { possible: new Set(possible), recent: new Set(recent) })
    return copy
  }

  /** @param initial value if it was never set @param isMade false if the answer was lost */
  change(name: string, value: unknown, { initial, isMade }: { initial: unknown; isMade: boolean }): void {
    const { possible, recent } = this.#of(name, initial)
    const text = JSON.stringify(value)
    if (isMade) possible.clear()
    possible.add(text)
    recent.add(text)
  }

  /** Notes that a setting has the value that it has elsewhere. @param initial value if it was never set */
  take(name: string, from: Settings, initial: unknown): void {
    const { possible, recent } = from.#of(name, initial)
    this.#settings.set(name, { possible: new Set(possible), recent: new Set(recent) })
  }

  /** Notes that the server may have changed a setting. */
  doubt(name: string): void {
    const setting = this.#settings.get(name)
    if (setting) setting.isUnknown = true
  }

  /** Notes what a setting is. @param initial value if it was never set @returns whether it can be */
  settle(name: string, value: unknown, initial: unknown): boolean {
    const setting = this.#of(name, initial)
    const { possible, isUnknown = false } = setting
    const isPossible = isUnknown || possible.has(JSON.stringify(value))
    setting.isUnknown = false
    possible.clear()
    possible.add(JSON.stringify(value))
    return isPossible
  }

  /** Returns the value that the last check has found. */
  // biome-ignore lint/suspicious/noExplicitAny: settings of several shapes
  get(name: string): any {
    const [text] = this.#settings.get(name)?.possible ?? []
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** Returns the value that a setting must have; undefined if there are several, or if it was never set. */
  // biome-ignore lint/suspicious/noExplicitAny: settings of several shapes
  certain(name: string): any {
    const { possible, isUnknown } = this.#settings.get(name) ?? {}
    return possible?.size === 1 && !isUnknown ? this.get(name) : undefined
  }

  /** Returns every value that a setting may have had since the last check. */
  // biome-ignore lint/suspicious/noExplicitAny: settings of several shapes
  recent(name: string): any[] {
    return [...(this.#settings.get(name)?.recent ?? [])].map((text) => JSON.parse(text))
  }

  /** Whether a setting whose name begins so may have had a value since the last check. */
  hasRecent(start: string, value: unknown): boolean {
    const text = JSON.stringify(value)
    return [...this.#settings].some(([name, { recent }]) => name.startsWith(start) && recent.has(text))
  }

  /** Call it at the end of each check. */
  forget(): void {
    for (const setting of this.#settings.values()) setting.recent = new Set(setting.possible)
  }

  #of(name: string, initial: unknown): Setting {
    const first = [JSON.stringify(initial)]
    const setting = this.#settings.get(name) ?? { possible: new Set(first), recent: new Set(first) }
    this.#settings.set(name, setting)
    return setting
  }
}
