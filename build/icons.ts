/**
 * `npm run icons`: draws the icons of every system from `renderer/icon.svg` with Chromium, into `build/icons/` (for the
 * installers) and `build/tray/` (shipped with the program). They are committed, so that a build needs no browser.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { ensureChromium } from './browser.ts'
import { type Image, icns, ico } from './icon-files.ts'

const root = join(import.meta.dirname, '..')
const icon = readFileSync(join(root, 'renderer/icon.svg'), 'utf8')

/** Only the house, black on transparent: macOS colours it for light and dark menu bars. */
const template = icon
  .replace(/<rect[^>]*>/, '')
  .replaceAll('#fff', '#000')
  .replace('0 0 32 32', '6 6 20 20')
/** macOS icons have a margin: the shape takes 824 of 1024 pixels. */
const withMargin = icon.replace('0 0 32 32', '-3.88 -3.88 39.76 39.76')

const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] })
const page = await browser.newPage()

async function draw(svg: string, size: number): Promise<Image> {
  await page.setViewportSize({ width: size, height: size })
  const sized = svg.replace('<svg ', `<svg width="${size}" height="${size}" style="display:block" `)
  await page.setContent(`<body style="margin:0">${sized}`)
  return { size, png: await page.screenshot({ omitBackground: true }) }
}

async function drawAll(svg: string, ...sizes: number[]): Promise<Image[]> {
  const images: Image[] = []
  for (const size of sizes) images.push(await draw(svg, size))
  return images
}

function save(name: string, bytes: Uint8Array): void {
  writeFileSync(join(root, 'build', name), bytes)
}

for (const folder of ['icons', 'tray']) rmSync(join(root, 'build', folder), { recursive: true, force: true })
for (const folder of ['icons/linux', 'tray']) mkdirSync(join(root, 'build', folder), { recursive: true })

for (const { size, png } of await drawAll(icon, 16, 24, 32, 48, 64, 128, 256, 512)) {
  save(`icons/linux/${size}x${size}.png`, png)
}
save('icons/icon.ico', ico(await drawAll(icon, 16, 24, 32, 48, 64, 128, 256)))
save('icons/icon.icns', icns(await drawAll(withMargin, 32, 64, 128, 256, 512, 1024)))

save('tray/tray.ico', ico(await drawAll(icon, 16, 20, 24, 32, 48)))
for (const [suffix, scale] of [
  ['', 1],
  ['@2x', 2],
] as const) {
  save(`tray/tray${suffix}.png`, (await draw(icon, 24 * scale)).png)
  save(`tray/trayTemplate${suffix}.png`, (await draw(template, 16 * scale)).png)
}
await browser.close()
