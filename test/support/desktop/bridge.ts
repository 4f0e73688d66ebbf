/** For specs, in the page: calls of the bridge, and the events it received. */
import type { Page } from 'playwright'
import type { Channel, DesktopBridge, DesktopCalls, DesktopEvents } from '../../../electron/ground/bridge.ts'

declare global {
  var desktop: DesktopBridge
  var recorded: { readonly event: string; readonly value: unknown }[]
}

/** Calls a channel from the page. */
export function call<C extends Channel>(
  page: Page,
  channel: C,
  ...args: Parameters<DesktopCalls[C]>
): Promise<Awaited<ReturnType<DesktopCalls[C]>>> {
  return page.evaluate(
    ([name, given]) => (desktop.call as (...all: unknown[]) => Promise<never>)(name, ...given),
    [channel, args] as const,
  )
}

/** The message of a rejected call; undefined if it was not rejected. Arguments may have any type. */
export function refusalOf(
  page: Page,
  channel: string,
  args: readonly unknown[],
): Promise<string | undefined> {
  return page.evaluate(
    ([name, given]) =>
      (desktop.call as (...all: unknown[]) => Promise<unknown>)(name, ...given).then(
        () => undefined,
        (error: Error) => error.message,
      ),
    [channel, args] as const,
  )
}

/** Records the events of the main process from now on, until the page is loaded again. */
export function listen(page: Page, ...events: (keyof DesktopEvents)[]): Promise<void> {
  return page.evaluate((names) => {
    const recorded: typeof globalThis.recorded = []
    globalThis.recorded = recorded
    for (const event of names) desktop.on(event, (value) => recorded.push({ event, value }))
  }, events)
}

export async function eventsOf<E extends keyof DesktopEvents>(
  page: Page,
  event: E,
): Promise<DesktopEvents[E][]> {
  const all = await page.evaluate(() => globalThis.recorded)
  return all.filter((one) => one.event === event).map(({ value }) => value as DesktopEvents[E])
}
