/** The program that runs the server, as far as its owner operates it over HTTP: the command line or the desktop. */
import type { Restores } from './restores/restores.ts'

export interface Host {
  readonly places: KeptPlaces
  /** Starts the server again. A handler calls it without waiting for it: its request is one that the stop waits for. */
  restart(): Promise<void>
  /** Restores of the owner, which outlive the server; undefined in a program that has screens of its own for them. */
  readonly restores?: Restores | undefined
}

/** Has a sentence for people. */
export class PlacesNotSaved extends Error {
  override name = 'PlacesNotSaved'
}

/** Where the program keeps the places that were added. */
export interface KeptPlaces {
  /** URLs. */
  list(): readonly string[]
  /** @throws PlacesNotSaved */
  save(urls: readonly string[]): Promise<void>
  /** The flag or the variable that sets the places instead. */
  readonly setBy: string | undefined
}
