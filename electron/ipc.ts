/**
 * The one door between the page and the main process. Whoever calls must be the top frame of our window at our own origin, the channel
 * one of the table, its arguments what the table says; everything else is refused and logged.
 */
import { ipcMain, type WebContents, type WebFrameMain } from 'electron'
import type { Logger } from '../server/util/log.ts'
import type { Channel, DesktopCalls } from './bridge.ts'
import { isOurs } from './protocol.ts'
import { type Initial, wire } from './wire.ts'

export interface Call<C extends Channel> {
  readonly accepts: (args: readonly unknown[]) => args is Parameters<DesktopCalls[C]>
  handle(
    ...args: Parameters<DesktopCalls[C]>
  ): ReturnType<DesktopCalls[C]> | Promise<ReturnType<DesktopCalls[C]>>
}

export type Calls = { readonly [C in Channel]: Call<C> }

export interface Door {
  readonly calls: Calls
  /** The page that may call. */
  readonly contents: () => WebContents | undefined
  readonly initial: () => Initial
  /** Sessions to keep, as one text. */
  readonly onSessions: (sessions: string) => void
  readonly onUnread: (count: number) => void
  readonly onUnsaved: (isUnsaved: boolean) => void
  readonly log: Logger
}

interface Caller {
  readonly sender: WebContents
  readonly senderFrame: WebFrameMain | null
}

const longestSessions = 1024 * 1024

export function openDoor(door: Door): void {
  const { calls, contents, initial, onSessions, onUnread, onUnsaved, log } = door

  const isKnown = ({ sender, senderFrame: frame }: Caller, channel: string): boolean => {
    const known = sender === contents() && frame !== null && frame.parent === null && isOurs(frame.url)
    if (!known) log.warn({ channel, url: frame?.url }, 'a call from elsewhere was refused')
    return known
  }
  const refuse = (reason: string, channel: unknown): never => {
    log.warn({ channel: String(channel).slice(0, 100) }, reason)
    throw new Error(reason)
  }

  ipcMain.handle(wire.call, (event, channel: unknown, ...args: unknown[]) => {
    if (!isKnown(event, wire.call)) throw new Error('this page may not call')
    if (typeof channel !== 'string' || !Object.hasOwn(calls, channel)) {
      return refuse('there is no such channel', channel)
    }
    const call: Call<Channel> = calls[channel as Channel] as never
    if (!call.accepts(args)) return refuse('these arguments are not what the channel takes', channel)
    return call.handle(...(args as never as []))
  })

  ipcMain.on(wire.initial, (event) => {
    event.returnValue = isKnown(event, wire.initial) ? initial() : null
  })
  ipcMain.on(wire.sessions, (event, sessions: unknown) => {
    if (!isKnown(event, wire.sessions)) return
    if (typeof sessions === 'string' && sessions.length <= longestSessions) onSessions(sessions)
  })
  ipcMain.on(wire.unread, (event, count: unknown) => {
    if (!isKnown(event, wire.unread)) return
    if (Number.isSafeInteger(count) && (count as number) >= 0) onUnread(count as number)
  })
  ipcMain.on(wire.unsaved, (event, isUnsaved: unknown) => {
    if (isKnown(event, wire.unsaved)) onUnsaved(isUnsaved === true)
  })
}
