/**
 * Registers every message that the page may send to the main process, in one place. The sender must be the top frame of our window
 * at our own origin, the channel one of the table, its arguments accepted by the table. Everything else is refused and logged.
 */
import { type IpcMainEvent, ipcMain, type WebContents } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import { attempt } from '../ground/attempt.ts'
import type { Channel } from '../ground/bridge.ts'
import type { Calls } from '../ground/calls.ts'
import { isOurs } from '../ground/protocol.ts'
import { type Initial, wire } from '../ground/wire.ts'
import type { PageState } from '../window/window.ts'

export interface IpcDeps {
  readonly calls: Calls
  /** The only page that may call. */
  readonly contents: () => WebContents | undefined
  readonly initial: () => Initial
  /** Sessions to store, as one text. */
  readonly onSessions: (sessions: string) => void
  /** Changes of what the page reports of itself. */
  readonly onReport: (report: Partial<PageState>) => void
  readonly log: Logger
}

const maxSessionsLength = 1024 * 1024

export function registerIpc(deps: IpcDeps): void {
  const { initial, onSessions, onReport } = deps
  registerCalls(deps)
  ipcMain.on(wire.initial, (event) => {
    event.returnValue = isOurPage(event, wire.initial, deps) ? initial() : null
  })

  const on = (channel: string, listener: (value: unknown) => void) =>
    ipcMain.on(channel, (event: IpcMainEvent, value: unknown) => {
      if (isOurPage(event, channel, deps)) listener(value)
    })
  on(wire.sessions, (sessions) => {
    if (typeof sessions === 'string' && sessions.length <= maxSessionsLength) onSessions(sessions)
  })
  on(wire.scroll, (scroll) => {
    if (typeof scroll === 'number' && Number.isFinite(scroll) && scroll >= 0) onReport({ scroll })
  })
  on(wire.unsaved, (isUnsaved) => onReport({ isUnsaved: isUnsaved === true }))
  on(wire.held, (isHeld) => onReport({ isHeld: isHeld === true }))
}

function registerCalls(deps: IpcDeps): void {
  const { calls, log } = deps
  const refuse = (reason: string, channel: unknown): never => {
    log.warn({ channel: String(channel).slice(0, 100) }, `call refused: ${reason}`)
    throw new Error(reason)
  }
  ipcMain.handle(wire.call, (event, channel: unknown, ...args: unknown[]) => {
    if (!isOurPage(event, wire.call, deps)) throw new Error('this page may not call')
    if (typeof channel !== 'string' || !Object.hasOwn(calls, channel)) {
      return refuse('unknown channel', channel)
    }
    const { accepts, handle } = calls[channel as Channel]
    if (!accepts(args)) return refuse('invalid arguments', channel)
    return handle(args as never, (error) => log.warn({ err: error, channel }, 'desktop call failed'))
  })
}

function isOurPage(
  { sender, senderFrame: frame }: Pick<IpcMainEvent, 'sender' | 'senderFrame'>,
  channel: string,
  { contents, log }: Pick<IpcDeps, 'contents' | 'log'>,
): boolean {
  // Reading the properties of a frame that was disposed throws.
  const url = attempt(() => frame?.url)
  // The preload script asks before the URL of the page is committed. Our window cannot navigate to any other origin.
  const isUncommitted = channel === wire.initial && (url === '' || url === 'about:blank')
  const isTopFrame = sender === contents() && frame !== null && attempt(() => frame.parent) === null
  const isAllowed = isTopFrame && url !== undefined && (isUncommitted || isOurs(url))
  if (!isAllowed) log.warn({ channel, url }, 'IPC message from a foreign page refused')
  return isAllowed
}
