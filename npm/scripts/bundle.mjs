// Bundles the TypeScript sources with esbuild.

import { join } from 'node:path'
import { build } from 'esbuild'

const common = {
  bundle: true,
  target: 'es2022',
  sourcemap: true,
  // `src` is published beside `dist`, so the maps only point at it.
  sourcesContent: false,
  logLevel: 'warning',
}

/** Writes `index.js` and `index.cjs`. The engine stays outside: the package import picks its form. */
export async function bundleLibrary({ packageDir, distDir }) {
  const library = { ...common, entryPoints: [join(packageDir, 'src/index.ts')], external: ['#engine'] }
  await Promise.all([
    build({ ...library, format: 'esm', platform: 'neutral', outfile: join(distDir, 'index.js') }),
    // `node` makes esbuild annotate the export names, which `import` of a CommonJS file relies on.
    build({ ...library, format: 'cjs', platform: 'node', outfile: join(distDir, 'index.cjs') }),
  ])
}

/** Writes `millrace.browser.js`: everything in one minified ES module. */
export async function bundleBrowser({ packageDir, distDir }) {
  await build({
    ...common,
    entryPoints: [join(packageDir, 'src/index.ts')],
    alias: { '#engine': join(distDir, 'engine.inline.js') },
    format: 'esm',
    platform: 'browser',
    minify: true,
    sourcemap: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    outfile: join(distDir, 'millrace.browser.js'),
  })
}
