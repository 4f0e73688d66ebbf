/** The space that the account and the server use, on the Data screen of an ordinary server. */
import { expect, test } from 'vitest'
import { findingsInBothSchemes, overflowAt } from '../support/page/accessibility.ts'
import { day } from '../support/server/clock.ts'
import { other as bob, owner, setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'

setupOrdinaryWorld({ accounts: ['alice', 'bob'] })

/** Measurements that grow each day, up to yesterday. */
async function measureDays(count: number): Promise<void> {
  const { store, now } = world.server.running.services
  await store.transact((tx) => {
    for (let ago = 1; ago <= count; ago++) {
      const date = new Date(now().getTime() - ago * day).toISOString().slice(0, 10)
      const grown = count + 1 - ago
      tx.run('INSERT INTO storage_days (day, database, media, backups, free) VALUES (?, ?, ?, ?, ?)', [
        ...[date, grown * 50_000, grown * 9000, 0, 9e9],
      ])
      tx.run(
        `INSERT INTO account_storage_days (account, day, records, media)
         SELECT id, ?, ?, ? FROM accounts WHERE did = ?`,
        [date, grown * 10, grown, owner.did],
      )
    }
  })
}

test('a bar of now, a line of the last days and a table: of the account, and for the owner of the server', async () => {
  await measureDays(89)
  const page = await world.signedIn(owner, '/data')
  await page.getByRole('img', { name: /^Used space on the last 90 days, from 11 bytes to / }).waitFor()
  await page.getByRole('img', { name: /^Used space on the last 90 days, from 59 kB to / }).waitFor()
  await page.getByRole('img', { name: / used, .* free on this disk$/ }).waitFor()
  await page.getByText('Show as table').nth(1).click()
  const names = await page.getByRole('columnheader').allTextContents()
  expect(names).toEqual(['Day', 'Database', 'Media', 'Backups', 'Free'])
  const row = page.getByRole('row').last()
  expect(await row.getByRole('cell').allTextContents()).toEqual(['50 kB', '9 kB', '0 bytes', '9 GB'])
  expect(await page.getByRole('row').count()).toBe(91)
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [320, 1920])).toEqual([0, 0])
})

test('before the second day a sentence takes the place of the line, and others see nothing of the server', async () => {
  const page = await world.signedIn(bob, '/data')
  await page.getByText('It is measured once a day.').waitFor()
  expect(await page.getByRole('heading', { name: 'Storage of this server' }).count()).toBe(0)
})
