/** The addresses of servers, whose ports differ from network to network. */
import type { NetworkSnapshot } from './contract.ts'
import type { Door } from './door/door.ts'
import { plcOriginOf } from './host.ts'
import type { EventStreamState } from './stream/stream.ts'

/**
 * Identities name a fixed address at first, because the ports of a network differ from run to run, and its DIDs must not.
 * @param publicUrl the setting of the servers, which replaces the address of each
 */
export function addressOf(doors: readonly Door[], endpoint: string, publicUrl?: string): string {
  const door = doors.find((_, index) => endpoint === plcOriginOf(index))
  return door ? (publicUrl ?? door.url) : endpoint
}

/** Returns the stream of a snapshot of another network, whose servers may have had other ports. */
export function movedStream({ stream, urls }: NetworkSnapshot, doors: readonly Door[]): EventStreamState {
  const moved = [...stream.positions].map(
    ([origin, seq]) => [doors[urls.indexOf(origin)]?.url ?? origin, seq] as const,
  )
  return { ...stream, positions: new Map(moved) }
}
