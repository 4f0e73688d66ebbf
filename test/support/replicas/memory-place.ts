/** A place of copies in memory. */
import type { Place } from '../../../server/operation/replicas/places/place.ts'

export class MemoryPlace implements Place {
  readonly objects = new Map<string, Uint8Array>()
  /** Called before an object is stored; an error keeps it from being stored. */
  beforePut: (name: string) => void = () => {}

  async list(folder: string) {
    const start = folder === '' ? '' : `${folder}/`
    const entries = new Map<string, number | undefined>()
    for (const [name, { length }] of this.objects) {
      if (!name.startsWith(start)) continue
      const [first = '', ...rest] = name.slice(start.length).split('/')
      entries.set(first, rest.length > 0 ? undefined : length)
    }
    return [...entries].map(([name, bytes]) => ({ name, bytes }))
  }

  async get(name: string) {
    return this.objects.get(name)
  }

  async size(name: string) {
    return this.objects.get(name)?.length
  }

  async put(name: string, bytes: Uint8Array) {
    this.beforePut(name)
    this.objects.set(name, bytes)
  }

  async remove(name: string) {
    for (const each of [...this.objects.keys()]) {
      if (each === name || each.startsWith(`${name}/`)) this.objects.delete(each)
    }
  }
}
