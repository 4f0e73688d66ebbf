/**
 * Whether the server answers. Once a request finds that it does not, nothing else is asked of it: one probe at growing
 * intervals finds out when it is back, and then what waited goes on.
 */
import { onlineManager } from '@tanstack/react-query'
import { endpoint } from './endpoint.ts'
import { createStore } from './store.ts'

export type Connection = { readonly up: true } | { readonly up: false; readonly retryAt: number }

const firstWaitMs = 1000
const longestWaitMs = 15_000

export const connection = createStore<Connection>({ up: true })

let timer: ReturnType<typeof setTimeout> | undefined
let waitMs = firstWaitMs

// What the browser thinks of the internet says nothing about a server on this machine.
onlineManager.setEventListener(() => () => {})

/** `fetch`, noting whether anybody answered. */
export async function reach(url: URL, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init)
    if (!connection.get().up) restored()
    return response
  } catch (error) {
    if (!init.signal?.aborted) lost()
    throw error
  }
}

export async function probe(): Promise<void> {
  clearTimeout(timer)
  try {
    await fetch(new URL('/xrpc/_health', endpoint), { cache: 'no-store' })
    restored()
  } catch {
    scheduleProbe()
  }
}

function lost(): void {
  if (!connection.get().up) return
  onlineManager.setOnline(false)
  waitMs = firstWaitMs
  scheduleProbe()
}

function restored(): void {
  clearTimeout(timer)
  connection.set({ up: true })
  onlineManager.setOnline(true)
}

function scheduleProbe(): void {
  connection.set({ up: false, retryAt: Date.now() + waitMs })
  timer = setTimeout(probe, waitMs)
  waitMs = Math.min(waitMs * 2, longestWaitMs)
}

// Somebody who comes back to the window should not wait for the next interval.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && !connection.get().up) void probe()
})
