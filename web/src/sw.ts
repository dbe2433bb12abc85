/// <reference lib="webworker" />
/** Keeps what the page consists of, so that a second visit needs no network. */
export {};
declare const self: ServiceWorkerGlobalScope;

// Files below these change their names whenever they change.
const UNCHANGING = /\/(assets|python)\//;
const CACHE = "checkpointing-page";

self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(UNCHANGING.test(request.url) ? cachedFirst(request) : networkFirst(request));
});

async function cachedFirst(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request.url);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) {
    await forgetOlder(cache, request.url);
    void cache.put(request.url, response.clone());
  }
  return response;
}

async function networkFirst(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) void cache.put(request.url, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request.url);
    if (kept) return kept;
    throw error;
  }
}

/** Let go of files that this one replaces: Python's part of an earlier build. */
async function forgetOlder(cache: Cache, url: string): Promise<void> {
  const folder = /^.*\/python\/[^/]+\//.exec(url)?.[0];
  if (!folder) return;
  for (const { url: other } of await cache.keys()) {
    if (/\/python\//.test(other) && !other.startsWith(folder)) await cache.delete(other);
  }
}
