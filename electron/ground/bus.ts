/** Events that the parts of the desktop exchange. */
import type { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import type { Arrivals } from '../../server/app/notifications/arrivals.ts'
import type { ServerState } from './bridge.ts'

interface BusEvents {
  readonly serverState: [ServerState]
  /** A setting has changed, or a property of the system in the settings view. */
  readonly settings: []
  /** The number of messages in the outbox may have changed. */
  readonly outbox: []
  /** The notice about the copies has changed. */
  readonly copies: []
  /** New notifications are on disk. */
  readonly arrival: [Arrivals]
  /** The page has stored its sessions. */
  readonly sessions: []
  /** The person closes the window. It stays open unless a listener closes it. */
  readonly windowClose: [BrowserWindow]
}

export type Bus = EventEmitter<BusEvents>
