/**
 * Shows the owner requests as they arrive, once switched on: the newest ones, in memory only and without their secrets. It
 * switches itself off after an hour, and is off after a restart. A server for tests can have it on from the start.
 *
 * `platform/xrpc/observe.ts` collects a request, `observed-request.ts` describes it, `redact.ts` removes secrets.
 */
import type { IncomingMessage } from 'node:http'
import type { Platform } from '../../platform/platform.ts'
import type { Observed, Observing } from '../../platform/xrpc/observe.ts'
import { clearTimeout, setTimeout, type Timer } from '../../util/timers.ts'
import { describe, type ObservedRequest } from './observed-request.ts'

export type { ObservedRequest }

export interface InspectorOptions {
  /** Called with each request of a method or an endpoint of OAuth, once its response has ended. */
  readonly observe?: (request: ObservedRequest, req: IncomingMessage) => void
  /** Keeps the inspector on. */
  readonly inspector?: 'on'
}

export interface KeptRequest extends ObservedRequest {
  /** Increases with each request, also beyond a restart. */
  readonly id: number
}

export interface InspectorState {
  readonly isOn: boolean
  /** When it switches itself off; undefined while it is off or stays on. */
  readonly until: Date | undefined
}

export interface Inspector {
  /** For the protocol layer. */
  readonly observing: Observing
  state(): InspectorState
  /** Switches it on for an hour from now, or off, which also drops the requests. */
  turn(isOn: boolean): void
  /** Drops the requests. */
  clear(): void
  /** Returns the kept requests after one, oldest first. */
  after(id: number): readonly KeptRequest[]
  /** The ids of the kept requests are in this range; empty if `oldest` is above `newest`. */
  range(): { readonly oldest: number; readonly newest: number }
  close(): void
}

type Deps = Pick<Platform, 'store' | 'now' | 'log'>

const maxRequests = 500
const onMs = 60 * 60_000
/** Its own methods: each call for the list would add one to the list. */
const ownMethods: ReadonlySet<string> = new Set([
  'com.core.admin.listRequests',
  'com.core.admin.setInspector',
])

export function createInspector(
  deps: Deps,
  { observe: notify, inspector }: InspectorOptions = {},
): Inspector {
  const { now, log } = deps
  const staysOn = inspector === 'on'
  let kept: KeptRequest[] = []
  let newest = now().getTime()
  let until: Date | undefined
  let timer: Timer | undefined
  const observing: Observing = { observe: undefined }

  const isOn = () => staysOn || until !== undefined

  function keep(request: ObservedRequest): void {
    kept.push({ ...request, id: ++newest })
    if (kept.length > maxRequests) kept.shift()
  }

  /** Timers stand still while the computer sleeps. */
  function endInTime(): void {
    if (until !== undefined && now() >= until) turn(false)
  }

  function observe(seen: Observed): void {
    endInTime()
    if (!notify && !isOn()) return
    try {
      const request = describe(seen, deps)
      notify?.(request, seen.req)
      if (isOn() && !ownMethods.has(seen.name)) keep(request)
    } catch (error) {
      // The response has been sent: its client is not concerned.
      log.warn({ err: error }, 'observing a request failed')
    }
  }

  function apply(): void {
    observing.observe = isOn() || notify ? observe : undefined
  }

  function turn(isOn: boolean): void {
    clearTimeout(timer)
    if (isOn === (until === undefined)) log.info(isOn ? 'inspector switched on' : 'inspector switched off')
    until = isOn ? new Date(now().getTime() + onMs) : undefined
    if (isOn) timer = setTimeout(() => turn(false), onMs).unref()
    else if (!staysOn) kept = []
    apply()
  }

  apply()
  return {
    observing,
    state() {
      endInTime()
      return { isOn: isOn(), until: staysOn ? undefined : until }
    },
    turn,
    clear() {
      kept = []
    },
    after: (id) => kept.filter((request) => request.id > id),
    range: () => ({ oldest: kept[0]?.id ?? newest + 1, newest }),
    close: () => clearTimeout(timer),
  }
}
