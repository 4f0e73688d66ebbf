/** The screen “Protocol check”: the owner checks this server, sees the results as they arrive, filters and copies them. */
import { describe, expect, test } from 'vitest'
import { findingsInBothSchemes, focused, overflowAt } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { other as bob, owner, setupWorld, world } from '../support/server/setup-world.ts'
import { heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice', 'bob'] })

const rows = (page: Page) => page.getByRole('list', { name: 'Requirements' }).getByRole('listitem')
const widths = [1280, 768, 420, 320]
const none = widths.map(() => 0)

async function opened(): Promise<Page> {
  const page = await world.signedIn(owner, '/conformance')
  await heading(page, 'Protocol check').waitFor()
  return page
}

test('the owner checks the server: failures come first, and what was skipped has its reason', async () => {
  const page = await opened()
  await page.getByText('No check yet').waitFor()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  const status = page.getByRole('status')
  await status.getByText('This server meets every must that could be tried.').waitFor()
  await status.getByText('apps and servers elsewhere do not reach it').waitFor()
  const first = rows(page).first()
  // Rate limits are optional, and a network for tests is without them.
  await first.getByText('Not met', { exact: true }).waitFor()
  const shown = await rows(page).count()
  expect(shown).toBeGreaterThan(350)

  const filters = page.getByRole('search')
  await filters.getByText('Skipped', { exact: true }).click()
  const skipped = rows(page).filter({ hasText: 'stream.cursor.outdated' })
  await skipped.getByText('no event is older than the time that the server keeps them').waitFor()
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No matching requirements').waitFor()
  await page.getByRole('searchbox').fill('')
  await filters.getByText('All', { exact: true }).click()
  await page.getByRole('searchbox').fill('repo.commit')
  await expect.poll(() => rows(page).count()).toBeLessThan(20)
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, widths)).toEqual(none)

  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  await page.getByText('Copied').first().waitFor()
  const copied = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(copied).toContain(`# Protocol check of ${world.url}\n`)
  expect(copied.split('\n').filter((line) => line.startsWith('| ')).length).toBeGreaterThan(shown)
  expect(copied).not.toMatch(/certif/i)
})

test('a check that runs is shown with its progress after a reload, and the owner stops it', async () => {
  const page = await opened()
  const start = page.getByRole('button', { name: 'Check', exact: true })
  await start.focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^\d+ of \d+ requirements$/).waitFor()
  expect(await focused(page)).toBe('Stop')
  await page.reload()
  await page.getByLabel('Progress of the check').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText(/^Stopped on/).waitFor()
  await page.getByRole('button', { name: 'Check again' }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
})

describe('a check that ended otherwise', () => {
  const result = {
    ...{ id: 'repo.car.root', area: 'repo', level: 'must', title: 'The root of getRepo is a commit' },
    ...{ source: 'https://atproto.com/specs/repository#car-file-serialization', outcome: 'failed' },
    ...{ reason: 'GET /xrpc/com.atproto.sync.getRepo answered 502, expected 200', milliseconds: 3 },
  }
  const at = '2030-01-01T00:00:00.000Z'
  const ended = { running: false, startedAt: at, endedAt: at, url: 'https://pds.example.com', total: 400 }

  async function shownWith(state: object): Promise<Page> {
    const page = await world.signedIn(owner, '/')
    await page.route('**/*getConformance*', (route) => route.fulfill({ json: { ...ended, ...state } }))
    await page.goto(`${world.url}/#/conformance`)
    await heading(page, 'Protocol check').waitFor()
    return page
  }

  test('a must that fails is announced, with its reason and its source', async () => {
    const page = await shownWith({ results: [result] })
    await page
      .getByRole('status')
      .getByText(/^1 must is not met: some apps/)
      .waitFor()
    await rows(page).getByText('answered 502, expected 200').waitFor()
    expect(await rows(page).getByRole('link').getAttribute('href')).toBe(result.source)
    expect(await findingsInBothSchemes(page)).toEqual([])
    expect(await overflowAt(page, widths)).toEqual(none)
  })

  test.each([
    [
      { end: 'wrongServer', reason: 'it is another server' },
      /does not lead to this server from here: it is another/,
    ],
    [{ end: 'unanswered' }, /no longer answered, so the other requirements were not tried/],
    [{ end: 'late' }, /was too slow, so the other requirements were not tried/],
    [{ end: 'failed' }, /^The check ended by an error/],
  ])('%j is explained', async (state, text) => {
    const page = await shownWith({ results: [], ...state })
    await page.getByRole('status').getByText(text).waitFor()
    await page.getByRole('button', { name: 'Check again' }).waitFor()
  })
})

test('the tab is for the owner alone', async () => {
  const page = await world.signedIn(bob, '/settings')
  await heading(page, 'Settings').waitFor()
  expect(await page.getByRole('link', { name: 'Protocol check' }).count()).toBe(0)
})
