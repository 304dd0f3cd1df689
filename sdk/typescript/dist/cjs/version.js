"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.version = void 0;
/** The version of this package, which is that of the service. */
exports.version = "0.2.0";
