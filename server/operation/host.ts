/** The program that runs the server, as far as its owner operates it over HTTP: the command line or the desktop. */
import type { Config } from '../platform/config/config.ts'
import type { MailServer, MailServerInput } from '../platform/config/mail-server.ts'
import type { Platform } from '../platform/platform.ts'
import { yieldToEventLoop } from '../util/timers.ts'
import type { Restores } from './replicas/restores/restores.ts'

export interface Host {
  readonly places: KeptPlaces
  /** Undefined in a program that has a screen of its own for it. */
  readonly mail?: KeptMail | undefined
  /** Starts the server again. A handler calls it without waiting for it: its request is one that the stop waits for. */
  restart(): Promise<void>
  /** Restores of the owner, which outlive the server; undefined in a program that has screens of its own for them. */
  readonly restores?: Restores | undefined
}

/** Starts the server again in the background, so that the caller gets its answer first. Call it after the report of a change. */
export function restartSoon(
  { host }: { readonly host: Pick<Host, 'restart'> | undefined },
  { log }: Pick<Platform, 'log'>,
): void {
  // Work in the background, such as a report, begins in the next turn.
  yieldToEventLoop()
    .then(() => host?.restart())
    .catch((error: unknown) => log.error({ err: error }, 'restart failed'))
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

/** The mail server of the next start. */
export interface NextMail {
  readonly server: MailServer
  /** Undefined if there is none, or a flag or a variable sets the mail server. */
  readonly password: string | undefined
  /** The settings with which the server starts. */
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom'>
}

/** Where the program keeps the mail server and its password. */
export interface KeptMail {
  /** @throws ConfigError if it cannot be read, or other users can read it */
  read(): Promise<NextMail>
  /** Saves all of it or nothing. A kept password is removed with its mail server. @throws ConfigError, or the error of the system */
  save(input: MailServerInput): Promise<void>
  /** The flag or the variable that sets the mail server instead. */
  readonly setBy: string | undefined
}
