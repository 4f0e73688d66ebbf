/**
 * Whether the server responds. After a failed request all queries pause; a probe with back-off finds out when the server is
 * back, and resumes them.
 */
import { onlineManager } from '@tanstack/react-query'
import { createStore } from '../store.ts'
import { endpoint } from './endpoint.ts'

export type Connection = { readonly up: true } | { readonly up: false; readonly retryAt: number }

const minDelayMs = 1000
const maxDelayMs = 15_000

export const connection = createStore<Connection>({ up: true })

let timer: ReturnType<typeof setTimeout> | undefined
let delayMs = minDelayMs

// The online state of the browser does not apply to a server on this machine.
onlineManager.setEventListener(() => () => {})

/** `fetch` that updates the connection state. */
export async function trackedFetch(url: URL, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init)
    if (!connection.get().up) setOnline()
    return response
  } catch (error) {
    if (!init.signal?.aborted) setOffline()
    throw error
  }
}

export async function probe(): Promise<void> {
  clearTimeout(timer)
  try {
    await fetch(new URL('/xrpc/_health', endpoint), { cache: 'no-store' })
    setOnline()
  } catch {
    scheduleProbe()
  }
}

function setOffline(): void {
  if (!connection.get().up) return
  onlineManager.setOnline(false)
  delayMs = minDelayMs
  scheduleProbe()
}

function setOnline(): void {
  clearTimeout(timer)
  connection.set({ up: true })
  onlineManager.setOnline(true)
}

function scheduleProbe(): void {
  connection.set({ up: false, retryAt: Date.now() + delayMs })
  timer = setTimeout(probe, delayMs)
  delayMs = Math.min(delayMs * 2, maxDelayMs)
}

// Probe at once when the window becomes visible.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && !connection.get().up) void probe()
})
