/** What specs do in the page: calls of the bridge, and what it has told. */
import type { Page } from 'playwright'
import type { Channel, DesktopBridge, DesktopCalls, DesktopEvents } from '../../../electron/bridge.ts'

declare global {
  var desktop: DesktopBridge
  var noted: { readonly event: string; readonly value: unknown }[]
}

/** Calls as the page would. */
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

/** The message with which a call is rejected; undefined when it is not. Its arguments may be anything. */
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

/** Notes what the main process tells from now on, until the page is loaded again. */
export function listen(page: Page, ...events: (keyof DesktopEvents)[]): Promise<void> {
  return page.evaluate((names) => {
    const noted: typeof globalThis.noted = []
    globalThis.noted = noted
    for (const event of names) desktop.on(event, (value) => noted.push({ event, value }))
  }, events)
}

export async function told<E extends keyof DesktopEvents>(page: Page, event: E): Promise<DesktopEvents[E][]> {
  const all = await page.evaluate(() => globalThis.noted)
  return all.filter((one) => one.event === event).map(({ value }) => value as DesktopEvents[E])
}
