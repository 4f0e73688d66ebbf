import { EventEmitter } from 'node:events'
import { driver } from './driver.ts'
import { hasQuirk } from './quirks.ts'
import { BrowserWindow, type FrameDouble, type WebContentsDouble } from './window.ts'

interface IpcEvent {
  readonly sender: WebContentsDouble
  readonly senderFrame: FrameDouble
  returnValue?: unknown
}

type Handler = (event: IpcEvent, ...args: unknown[]) => unknown

class IpcMain extends EventEmitter {
  readonly #handlers = new Map<string, Handler>()

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.#handlers.set(channel, handler)
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }

  async invoke(channel: string, event: IpcEvent, args: unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel)
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    return handler(event, ...args)
  }
}

export const ipcMain = new IpcMain()

const eventOf = (id: number, senderFrame: FrameDouble): IpcEvent => ({
  sender: BrowserWindow.byId(id).webContents,
  senderFrame,
})

driver.handlers.set('ipc.invoke', (id: number, frame: FrameDouble, channel: string, args: unknown[]) =>
  ipcMain.invoke(channel, eventOf(id, frame), args),
)
driver.handlers.set('ipc.send', (id: number, frame: FrameDouble, channel: string, args: unknown[]) => {
  ipcMain.emit(channel, eventOf(id, frame), ...args)
})
driver.handlers.set('ipc.sendSync', (id: number, frame: FrameDouble, channel: string, args: unknown[]) => {
  const event = eventOf(id, hasQuirk('sender-url-empty') ? { ...frame, url: '' } : frame)
  ipcMain.emit(channel, event, ...args)
  return event.returnValue
})
