/**
 * Whether the desktop shows tray icons, and the icon of this app. On Linux it may do neither (GNOME without an extension, a host
 * that rejects the icon), and Electron reports no error. A window closed to such a tray would be lost.
 * Not seen on a real desktop yet.
 */
import { setTimeout } from 'node:timers/promises'
import { askBus, callBus } from './dbus.ts'

const watcher = 'org.kde.StatusNotifierWatcher'
const registerMs = 1000
const pollMs = 100

export async function hasTrayHost(): Promise<boolean> {
  if (process.platform !== 'linux') return true
  return /\btrue\b/.test((await askBus('NameHasOwner', watcher)) ?? '')
}

/** Whether the icon that was just created is shown. True if the desktop does not list its icons. */
export async function showsOurIcon(): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const deadline = performance.now() + registerMs
  for (;;) {
    const items = await callBus({
      destination: watcher,
      path: '/StatusNotifierWatcher',
      interface: 'org.freedesktop.DBus.Properties',
      method: 'Get',
      args: [watcher, 'RegisteredStatusNotifierItems'],
    })
    if (items === undefined || (await includesOurs(items))) return true
    if (performance.now() > deadline) return false
    await setTimeout(pollMs)
  }
}

/** Hosts list an icon under the name that Chromium gives it, or under the bus address of its process. */
async function includesOurs(items: string): Promise<boolean> {
  if (items.includes(`StatusNotifierItem-${process.pid}-`)) return true
  const addresses = new Set(items.match(/:\d+\.\d+/g) ?? [])
  for (const address of addresses) {
    const pid = /(\d+)\D*$/.exec((await askBus('GetConnectionUnixProcessID', address)) ?? '')?.[1]
    if (pid === String(process.pid)) return true
  }
  return false
}
