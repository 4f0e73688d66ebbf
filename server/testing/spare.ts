/** The servers of a network after its next reset: they start while the present ones answer. */
import type { DiskSnapshot } from './disk/memory-snapshot.ts'
import type { Host, Prepared } from './host.ts'
import type { SeededSources } from './seed/seeded-sources.ts'

export interface Spare {
  /** Their clock waits: until it begins, they connect to no other server. */
  readonly sources: SeededSources
  /** Puts them in the place of servers that were killed. */
  adopt(): void
  close(): Promise<void>
}

/** Starts a server for each host. @param disks one for each */
export async function prepareSpare(
  hosts: readonly Host[],
  disks: readonly DiskSnapshot[],
  sources: SeededSources,
): Promise<Spare> {
  const servers: { readonly host: Host; readonly prepared: Prepared }[] = []
  const close = async () => {
    for (const { prepared } of servers) await prepared.running.close()
  }
  try {
    for (const [index, host] of hosts.entries())
      servers.push({ host, prepared: await host.prepare(disks[index] as DiskSnapshot, sources) })
  } catch (error) {
    await close()
    throw error
  }
  return {
    sources,
    adopt() {
      for (const { host, prepared } of servers) host.adopt(prepared)
    },
    close,
  }
}
