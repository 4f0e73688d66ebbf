/** The screens of the continuous copies: places of a real server, the recovery sheet, and the way back. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Locator } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { copyKey, done, failed } from '../../support/desktop/desktop-bridge.ts'
import { bob, desktop, setupScreens, signedIn, visitor } from '../../support/desktop/desktop-screens.ts'
import { findings } from '../../support/page/accessibility.ts'
import type { Page } from '../../support/page/browser.ts'
import { owner, world } from '../../support/server/setup-ordinary-world.ts'

const folder = await mkdtemp(join(tmpdir(), 'pds-copies-'))
const disk = join(folder, 'disk')
const url = pathToFileURL(disk).href

beforeAll(() => mkdir(disk))
afterAll(() => rm(folder, { recursive: true }))
setupScreens({ copies: [url] })
/** Rows of places outside of this computer. */
const rowsOf = (page: Page) =>
  page
    .getByRole('list', { name: 'Places' })
    .locator('> li')
    .filter({ hasNotText: /^This computer/ })

/** The state of the copies besides the places, as the owner at this computer reads it. */
const shown = { editable: true, sheetKept: true }

/** Makes the server of a page respond with copies in a state of choice, which is read for each response. */
function serve(page: Page, state: () => object): Promise<unknown> {
  return answer(page, 'getCopies', state)
}

/** Opens the screen with places in a state of choice. */
async function withPlaces(...places: object[]): Promise<Page> {
  return withCopies(() => ({ ...shown, places }))
}

async function withCopies(state: () => object): Promise<Page> {
  const page = await visitor('/about')
  await serve(page, state)
  await page.goto(`${world.url}/#/backups`)
  return page
}

/** Answers a method of administrators in the place of the server. Returns the inputs of its calls. */
async function answer(page: Page, method: string, body: (input: unknown) => object): Promise<unknown[]> {
  const inputs: unknown[] = []
  const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
  await page.route(new RegExp(`/com\\.core\\.admin\\.${method}(\\?|$)`), (route) => {
    if (route.request().method() === 'OPTIONS') return route.fulfill({ headers })
    const input = route.request().postDataJSON()
    if (route.request().method() === 'POST') inputs.push(input)
    return route.fulfill({ json: body(input), headers })
  })
  return inputs
}

const place = {
  url,
  behindSeconds: 0,
  missingMedia: 0,
  paused: false,
  lastCopiedAt: new Date().toISOString(),
}
const troubled = (kind: string, message = 'Do this.') => ({ ...place, problem: { kind, message } })

describe('places', () => {
  test('a place of the server is shown with its state, and copied to on request', async () => {
    const page = await signedIn('/backups')
    await rowsOf(page).getByText(disk, { exact: true }).waitFor()
    await rowsOf(page).getByText('Up to date').waitFor()
    await page.getByRole('button', { name: 'Copy now' }).click()
    await page.getByRole('button', { name: 'Copy now', disabled: false }).waitFor()
    await rowsOf(page)
      .getByText(/^Copied /)
      .waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('only the owner sees the places', async () => {
    const page = await signedIn('/backups', {}, [bob])
    await page.getByText('Sign in as the owner of this server to see its places.').waitFor()
    await page.getByText('No backup yet.').waitFor()
    expect(await page.getByRole('button', { name: 'Back up now' }).count()).toBe(0)
    expect(await rowsOf(page).count()).toBe(0)
  })

  test('places that the command sets can be read only, and the setting is named', async () => {
    const page = await world.signedIn(owner, '/account')
    await serve(page, () => ({ editable: false, setBy: 'PDS_COPIES', places: [place] }))
    await page.goto(`${world.url}/#/backups`)
    await rowsOf(page).getByText(disk, { exact: true }).waitFor()
    await page.getByText('The places are set by PDS_COPIES.').waitFor()
    expect(await page.getByRole('button', { name: /Remove|Add a place/ }).count()).toBe(0)
  })
})

describe('a place is added', () => {
  beforeEach(() => {
    desktop.accounts = [owner]
  })

  const add = (page: Page) => page.getByRole('button', { name: 'Add a place…' }).click()
  const ownPassword = (page: Page) => page.getByLabel('Your password')

  test('its problem is shown at its field, then the recovery sheet is shown once', async () => {
    let state = { ...shown, sheetKept: false, places: [] as object[] }
    const page = await withCopies(() => state)
    let problems: object[] = [{ field: 'address', problem: 'This program may not write there.' }]
    await answer(page, 'addCopyPlace', () => {
      if (problems.length === 0) state = { ...state, places: [{ ...place, added: true }] }
      return { problems, ...(problems.length === 0 && { url }) }
    })
    const sheets = await answer(page, 'getRecoverySheet', () => ({ key: copyKey, places: [url], text: 'x' }))
    await add(page)
    const dialog = page.getByRole('dialog', { name: 'Add a place' })
    await dialog.getByRole('button', { name: 'Choose…' }).click()
    await expect.poll(() => dialog.getByLabel('Folder').last().inputValue()).toBe('/media/disk')
    await ownPassword(page).fill(owner.password)
    await dialog.getByRole('button', { name: 'Check and add' }).click()
    await dialog.getByText('This program may not write there.').waitFor()
    expect(await findings(page)).toEqual([])
    problems = []
    await dialog.getByRole('button', { name: 'Check and add' }).click()
    // The password was just entered.
    await page.getByRole('article', { name: 'Recovery sheet' }).waitFor()
    expect(sheets).toEqual([{ password: owner.password }])
  })

  test('a server with WebDAV needs address, user and password', async () => {
    const page = await withPlaces(place)
    const inputs = await answer(page, 'addCopyPlace', () => ({ problems: [], url }))
    await add(page)
    await page.getByText('WebDAV', { exact: true }).click()
    await page.getByLabel('Address of the folder').fill('https://cloud.test/files')
    await page.getByLabel('User').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill('a password')
    await ownPassword(page).fill(owner.password)
    await page.keyboard.press('Enter')
    await page.getByText('The place was added').waitFor()
    expect(inputs).toEqual([
      {
        place: {
          ...{ kind: 'webdav', address: 'https://cloud.test/files', user: 'alice', secret: 'a password' },
          ...{ bucket: '', region: '', accessKeyId: '' },
        },
        ...{ sameDisk: false, password: owner.password },
      },
    ])
  })

  test('a refused password can be entered again', async () => {
    const dav = 'webdav+https://alice@cloud.test/files'
    const page = await withPlaces({ ...troubled('refused'), url: dav, added: true })
    const inputs = await answer(page, 'addCopyPlace', () => ({ problems: [], url: dav }))
    await page.getByRole('button', { name: 'Enter again…' }).click()
    expect(await page.getByLabel('User').inputValue()).toBe('alice')
    // The password has the focus.
    await page.keyboard.type('another')
    await ownPassword(page).fill(owner.password)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const entered = { kind: 'webdav', address: 'https://cloud.test/files', user: 'alice', secret: 'another' }
    expect(inputs).toMatchObject([{ place: entered }])
  })

  test('a place is removed after a confirmation', async () => {
    let places = [{ ...place, added: true }]
    const page = await withCopies(() => ({ ...shown, places }))
    const inputs = await answer(page, 'removeCopyPlace', () => {
      places = []
      return {}
    })
    await page.getByRole('button', { name: `Remove ${disk}` }).click()
    await page.getByText('The existing copy stays').waitFor()
    expect(inputs).toEqual([])
    await page.getByRole('button', { name: 'Stop copying' }).click()
    await page.getByText('The place was removed').waitFor()
    expect(inputs).toEqual([{ url }])
  })
})

describe('states of a place', () => {
  beforeEach(() => {
    desktop.accounts = [owner]
  })

  test.each(['unreachable', 'refused', 'full', 'invalid', 'damaged', 'foreign', 'local'])(
    '%s is shown with its remedy',
    async (kind) => {
      const page = await withPlaces(troubled(kind))
      await rowsOf(page).getByText('Problem').waitFor()
      await rowsOf(page).getByText('Do this.').waitFor()
    },
  )

  test('a place that has the database but not all media is not called a copy yet', async () => {
    const { lastCopiedAt: _, ...first } = place
    const page = await withPlaces({ ...first, missingMedia: 12 }, { ...first, url: `${url}/2` })
    await rowsOf(page).first().getByText('Sending', { exact: true }).waitFor()
    await rowsOf(page).first().getByText('12 media files still to be copied.').waitFor()
    await rowsOf(page).last().getByText('Not copied yet').first().waitFor()
  })

  test('restore points are read again when a problem ends', async () => {
    desktop.handlers['restore.points'] = () => ({ problems: { address: 'There is no folder.' }, points: [] })
    const page = await withPlaces(troubled('unreachable'))
    await rowsOf(page).locator('summary').click()
    await rowsOf(page).getByText('There is no folder.').waitFor()
    desktop.handlers['restore.points'] = () => ({ problems: {}, points: [{ at: place.lastCopiedAt }] })
    await serve(page, () => ({ ...shown, places: [place] }))
    await page.getByRole('button', { name: 'Copy now' }).click()
    await rowsOf(page)
      .getByRole('button', { name: /^Restore as of/ })
      .waitFor()
  })

  test('progress, missing media, a proof and a pause are shown', async () => {
    const days = 3 * 24 * 60 * 60_000
    const page = await withPlaces(
      { ...place, progress: { sent: 5_000_000, total: 20_000_000 } },
      {
        ...place,
        url: `${url}/2`,
        missingMedia: 12,
        lastProvenAt: new Date(Date.now() - days).toISOString(),
      },
      { ...place, url: `${url}/3`, paused: true, behindSeconds: 600 },
    )
    await page.getByText('5 MB of 20 MB sent').waitFor()
    await page.getByText('12 media files still to be copied.').waitFor()
    await page.getByText(/^Copied .* · Proven restorable 3 days ago$/).waitFor()
    await page.getByText('Copying waits for an unmetered network.').waitFor()
    await page.getByText('The changes of the last 10 minutes are not there yet.').waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('a day without copies shows a banner on every screen', async () => {
    const since = new Date(Date.now() - 25 * 60 * 60_000).toISOString()
    const page = await withPlaces({
      ...place,
      problem: { kind: 'unreachable', message: 'Connect it.', since },
    })
    await rowsOf(page).waitFor()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByText(`Nothing has been copied to ${disk} for more than a day. Connect it.`).waitFor()
    await page.getByRole('link', { name: 'Show places' }).click()
    await rowsOf(page).waitFor()
  })

  test('a server that another computer continues is continued here after a confirmation', async () => {
    desktop.handlers['copies.isElsewhere'] = () => true
    const message = 'Another computer has continued this server.'
    const since = new Date().toISOString()
    const page = await withPlaces({ ...place, problem: { kind: 'elsewhere', message, since } })
    await page.getByText(/^Another computer has continued this server since \d?\d:\d\d.* today\.$/).waitFor()
    await page
      .getByText('made here and not copied before are only on this computer. To keep them, export')
      .waitFor()
    await page.getByRole('button', { name: 'Continue on this computer…' }).click()
    await page.getByText('The other computer stops accepting them').waitFor()
    expect(await findings(page)).toEqual([])
    desktop.handlers['copies.isElsewhere'] = () => false
    await page.getByRole('button', { name: 'Continue here' }).click()
    await page.getByText('This computer continues the server').waitFor()
    await page.getByRole('button', { name: 'Continue on this computer…' }).waitFor({ state: 'detached' })
    expect(desktop.callsOf('copies.continue')).toHaveLength(1)
  })

  test('in a browser the owner continues a server by the endpoint', async () => {
    const page = await world.signedIn(owner, '/account')
    await serve(page, () => ({ places: [troubled('elsewhere')] }))
    await page.goto(`${world.url}/#/backups`)
    await page.getByRole('button', { name: 'Continue on this computer…' }).click()
    const continued = page.waitForRequest('**/com.core.admin.continueServer')
    await page.getByRole('button', { name: 'Continue here' }).click()
    await continued
    await page.getByText('This computer continues the server').waitFor()
  })

  test('without a session the desktop offers to continue the server', async () => {
    desktop.accounts = []
    desktop.handlers['copies.isElsewhere'] = () => true
    const page = await visitor('/backups')
    await page.getByText('Sign in as the owner of this server to see its places.').waitFor()
    await page.getByRole('button', { name: 'Continue on this computer…' }).waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('a server that another computer continues is stopped here after a confirmation', async () => {
    desktop.handlers['copies.isElsewhere'] = () => true
    const page = await withPlaces(troubled('elsewhere'))
    await page.getByRole('button', { name: 'Stop using this computer…' }).click()
    await page.getByRole('button', { name: 'Stop the server' }).click()
    await page.getByText('The server on this computer is stopped').waitFor()
    expect(desktop.callsOf('settings.change')).toEqual([[{ startAtLogin: false }]])
    expect(desktop.callsOf('server.stop')).toHaveLength(1)
  })
})

describe('the recovery sheet', () => {
  beforeEach(() => {
    desktop.accounts = [owner]
  })

  /** Opens the screen while the sheet was never kept. */
  async function withSheet(): Promise<{ readonly page: Page; readonly sheet: Locator }> {
    let sheetKept = false
    const page = await withCopies(() => ({ ...shown, sheetKept, places: [place] }))
    await answer(page, 'getRecoverySheet', () => ({
      key: copyKey,
      places: [url],
      text: `# sheet\n${copyKey}\n`,
    }))
    await answer(page, 'keepRecoverySheet', () => {
      sheetKept = true
      return {}
    })
    await page.getByRole('button', { name: 'Show recovery sheet' }).click()
    const sheet = page.getByRole('dialog', { name: 'Recovery sheet' })
    expect(await findings(page)).toEqual([])
    await sheet.getByLabel('Your password').fill(owner.password)
    await sheet.getByRole('button', { name: 'Show', exact: true }).click()
    return { page, sheet }
  }

  test('is asked for until it was saved', async () => {
    const { page, sheet } = await withSheet()
    const key = await sheet.getByRole('status', { name: 'Key' }).innerText()
    expect(key.replaceAll(/\s/g, '')).toBe(copyKey)
    await sheet.getByRole('img', { name: 'The key as a QR code' }).waitFor()
    await sheet.getByText(disk, { exact: true }).waitFor()
    await sheet.getByText(owner.did).waitFor()
    expect(await findings(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Save to a file…' }).click()
    await page.getByText('Saved to /media/disk/recovery-sheet.txt').waitFor()
    expect(desktop.callsOf('copies.saveSheet')).toEqual([[`# sheet\n${copyKey}\n`]])
    await page.keyboard.press('Escape')
    await page.getByText('Print or save the recovery sheet.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show…' }).waitFor()
  })

  test('printing shows it alone, and counts as kept', async () => {
    const { page } = await withSheet()
    await page.getByRole('button', { name: 'Print' }).click()
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.getByRole('article', { name: 'Recovery sheet' }).isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0)
    await page.emulateMedia({ media: 'screen' })
    await page.keyboard.press('Escape')
    await page.getByText('Print or save the recovery sheet.').waitFor({ state: 'detached' })
  })
})

describe('a server is restored from a copy', () => {
  test('one entry of the first screen leads to backups and copies', async () => {
    const page = await visitor('/saved')
    await page.getByRole('heading', { level: 1, name: 'What do you have?' }).waitFor()
    await page.getByRole('link', { name: 'Restore a backup' }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Restore from a copy' }).click()
    await page.getByLabel('Key of the recovery sheet').waitFor()
  })

  test('problems are shown at their fields; then a restore point is chosen, and the result is shown', async () => {
    const page = await visitor('/restore')
    desktop.handlers['restore.points'] = () => ({
      problems: { key: 'This is no key of a copy.' },
      points: [],
    })
    await page.getByLabel('Folder').last().fill('/media/disk')
    await page.getByLabel('Key of the recovery sheet').fill('x')
    await page.keyboard.press('Enter')
    await page.getByText('This is no key of a copy.').waitFor()
    await page.getByLabel('Key of the recovery sheet').fill('age-secret-key-1abc')
    await page.getByText('AGE-SECRET-KEY-1 ABC', { exact: true }).waitFor()
    expect(await findings(page)).toEqual([])
    const times = ['2026-01-02T10:00:00.000Z', '2026-01-01T10:00:00.000Z']
    const points = times.map((at) => ({ at }))
    desktop.handlers['restore.points'] = () => ({ problems: {}, points })
    await page.getByRole('button', { name: 'From a file…' }).click()
    await expect.poll(() => page.getByLabel('Key of the recovery sheet').inputValue()).toBe(copyKey)
    await page.getByRole('button', { name: 'Open the copy' }).click()
    const rows = page.getByRole('list', { name: 'Restore points of the place' }).getByRole('listitem')
    await rows
      .last()
      .getByRole('button', { name: /^Restore as of/ })
      .click()
    await page.getByText('The other computer stops accepting changes').waitFor()
    await page.getByRole('dialog').getByText('alice.test, bob.test').waitFor()
    expect(await findings(page)).toEqual([])

    desktop.handlers['restore.run'] = () => failed('There is no folder /media/disk. Connect the disk.')
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('There is no folder /media/disk. Connect the disk.').waitFor()
    const finishing = Promise.withResolvers<void>()
    desktop.handlers['restore.run'] = async () => {
      await finishing.promise
      return done({ at: times[1] as string, missingMedia: 2, replaced: '' })
    }
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await desktop.emit('restoreProgress', { step: 'media', done: 3, total: 20 })
    await page.getByRole('status').getByText('Fetching media').waitFor()
    // What is being restored stays open.
    await page.keyboard.press('Escape')
    finishing.resolve()
    const result = page.getByRole('dialog', { name: 'The server is restored' })
    await result.getByText('2 media files were not there.').waitFor()
    const [, again] = desktop.callsOf('restore.run')
    const source = {
      from: 'otherPlace',
      place: expect.objectContaining({ address: '/media/disk' }),
      key: copyKey,
    }
    expect(again).toEqual([source, times[1], undefined])
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

describe('the address of a recovery sheet', () => {
  test.each([
    ['file:///media/my%20disk', { Folder: '/media/my disk' }],
    [
      'webdav+https://anna@cloud.test/dav/a%20copy',
      { 'Address of the folder': 'https://cloud.test/dav/a%20copy', User: 'anna' },
    ],
    [
      's3://my-bucket/server?endpoint=https%3A%2F%2Fs3.test&region=eu',
      { 'Address of the storage': 'https://s3.test', Bucket: 'my-bucket/server', Region: 'eu' },
    ],
  ])('%s fills the fields of its kind', async (address, fields) => {
    const page = await visitor('/restore')
    await page.getByLabel('Folder').last().fill(address)
    await page.keyboard.press('Tab')
    for (const [name, value] of Object.entries(fields))
      await expect.poll(() => page.getByLabel(name).last().inputValue()).toBe(value)
  })
})

describe('a place that this server uses', () => {
  const source = { from: 'place', url }

  beforeEach(() => {
    desktop.accounts = [owner]
  })

  test('has restore points; what would be lost is shown before, and accepted by the restore', async () => {
    const loss =
      'The copy can be restored as of 2026-01-01 10:00:00 UTC. 2 objects with later changes cannot be used.'
    const preview = desktop.handlers['restore.preview']
    desktop.handlers['restore.preview'] = async (...args) => {
      const outcome = await preview(...args)
      return outcome.ok ? done({ ...outcome.value, loss }) : outcome
    }
    const page = await withPlaces(place)
    await rowsOf(page).locator('summary').click()
    await page.getByRole('button', { name: /^Restore as of/ }).click()
    await page.getByRole('dialog').getByText(loss).waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.type('restore')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'The server is restored' }).waitFor()
    // The newest one: what came later belongs to it.
    expect(desktop.callsOf('restore.run')).toEqual([[source, undefined, loss]])
  })

  test('is restored as of a time that the person enters', async () => {
    const page = await withPlaces(place)
    await rowsOf(page).locator('summary').click()
    await page.getByRole('button', { name: 'Another time…' }).click()
    await page.getByLabel('Time').fill('2026-01-01T09:30')
    await page.keyboard.press('Enter')
    await page.getByText('alice.test, bob.test').waitFor()
    const [[, at]] = desktop.callsOf('restore.preview') as [[unknown, string]]
    expect(new Date(at).getMinutes()).toBe(30)
  })

  test('that cannot be read says why, and is read again on request', async () => {
    let problem: object = { address: 'There is no folder. Connect the disk.' }
    desktop.handlers['restore.points'] = ({ from }) =>
      from === 'place' ? { problems: problem, points: [] } : { problems: {}, points: [] }
    const page = await withPlaces(place)
    await rowsOf(page).locator('summary').click()
    await rowsOf(page).getByText('There is no folder. Connect the disk.').waitFor()
    problem = {}
    await rowsOf(page).getByRole('button', { name: 'Try again' }).click()
    await rowsOf(page).getByText('There are no restore points yet.').waitFor()
  })
})

describe('what only the owner can decide', () => {
  const lost = { ...place, lost: { changes: 3, until: '2026-01-02T10:00:00.000Z' } }

  beforeEach(() => {
    desktop.accounts = [owner]
  })

  /** Returns the input of the next call of a method, which succeeds. */
  async function inputOf(page: Page, method: string) {
    const called = page.waitForRequest(
      (request) => request.url().endsWith(method) && request.method() === 'POST',
    )
    await page.route(`**/${method}`, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 200, headers: { 'access-control-allow-origin': '*' } })
        : route.continue(),
    )
    return async () => (await called).postDataJSON()
  }

  test('an empty place gets a new copy after a confirmation', async () => {
    const page = await withPlaces(troubled('empty', 'Connect its disk, or begin anew.'))
    await rowsOf(page).getByText('Connect its disk, or begin anew.').waitFor()
    await page.getByRole('button', { name: 'Begin anew here' }).click()
    await page.getByText('If the disk is merely disconnected, connect it').waitFor()
    expect(await findings(page)).toEqual([])
    const input = await inputOf(page, 'com.core.admin.acceptEmptyPlace')
    await page.getByLabel('Your password').fill(owner.password)
    await page.getByRole('button', { name: 'Begin anew', exact: true }).click()
    expect(await input()).toEqual({ url, password: owner.password })
    await page.getByText('A new copy is being made').waitFor()
  })

  test('changes that this disk has lost are restored', async () => {
    const page = await withPlaces(lost)
    await rowsOf(page).getByText('This place has 3 changes that this computer has lost.').waitFor()
    await page.getByRole('button', { name: 'Restore them…' }).click()
    await page.getByText('alice.test, bob.test').waitFor()
    expect(desktop.callsOf('restore.preview')).toEqual([[{ from: 'place', url }, lost.lost.until]])
  })

  test('changes that this disk has lost are dismissed after a confirmation', async () => {
    const page = await withPlaces(lost)
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop offering these changes?' })
    const input = await inputOf(page, 'com.core.admin.dismissLostChanges')
    await dialog.getByLabel('Your password').fill(owner.password)
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    expect(await input()).toEqual({ url, password: owner.password })
    await page.getByText('The changes are no longer offered').waitFor()
  })

  test('media that neither side has lead to the list of missing media', async () => {
    const page = await withPlaces({ ...place, missingHere: 4 })
    await rowsOf(page).getByText('Missing here and at this place: 4 media files.').waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Missing media' }).click()
    await page.getByRole('heading', { name: 'Data', level: 1 }).waitFor()
  })

  test('in a browser at this computer, lost changes are dismissed there, or restored in the app that runs the server', async () => {
    const page = await world.signedIn(owner, '/account')
    await serve(page, () => ({ places: [lost] }))
    await page.goto(`${world.url}/#/backups`)
    await rowsOf(page).getByText('The program that runs this server restores it').waitFor()
    await page.getByRole('button', { name: 'Dismiss', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Restore them…' }).count()).toBe(0)
  })
})
