# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# For nixpkgs, pkgs/by-name/gi/git-zpack. From a checkout:
#
#   nix-build -E '(import <nixpkgs> { }).callPackage ./tools/packaging/nix/package.nix { }'
{
  lib,
  stdenv,
  fetchurl,
  cmake,
  ninja,
  pkg-config,
  boost,
  curl,
  fmt,
  intel-ipsec-mb,
  libdeflate,
  libgit2,
  nlohmann_json,
  openssl,
  pcre2,
  xxHash,
  zlib,
  zstd,
  git,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "git-zpack";
  version = "0.9.0";

  src = fetchurl {
    url = "https://users.invalid/git-zpack/git-zpack-${finalAttrs.version}.tar.gz";
    sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
  };

  strictDeps = true;
  nativeBuildInputs = [
    cmake
    ninja
    pkg-config
  ];
  buildInputs = [
    boost
    curl
    fmt
    libdeflate
    libgit2
    nlohmann_json
    openssl
    pcre2
    xxHash
    zlib
    zstd
  ]
  ++ lib.optional stdenv.hostPlatform.isx86_64 intel-ipsec-mb;

  cmakeFlags = [
    (lib.cmakeBool "ZPACK_TESTS" false)
    (lib.cmakeBool "CMAKE_UNITY_BUILD" true)
    (lib.cmakeFeature "CMAKE_UNITY_BUILD_BATCH_SIZE" "32")
    # The .pc files join both to a prefix.
    (lib.cmakeFeature "CMAKE_INSTALL_LIBDIR" "lib")
    (lib.cmakeFeature "CMAKE_INSTALL_INCLUDEDIR" "include")
  ];

  doInstallCheck = true;
  nativeInstallCheckInputs = [ git ];
  installCheckPhase = ''
    runHook preInstallCheck
    git init -q repository
    git -C repository -c user.name=A -c user.email=a@example.com \
      commit -q --allow-empty -m first
    $out/bin/git-zpack convert -q repository repository.zpack
    $out/bin/git-zpack verify -q --against repository repository.zpack
    runHook postInstallCheck
  '';

  meta = {
    description = "Compact, verified single-file storage for Git repositories";
    homepage = "https://users.invalid/git-zpack";
    license = lib.licenses.asl20;
    mainProgram = "git-zpack";
    platforms = lib.platforms.linux;
  };
})
